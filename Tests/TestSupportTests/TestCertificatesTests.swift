import Foundation
import TestSupport
import Testing

/// Each certificate is judged by the openssl program as its name says.
@Suite(.enabled(if: TestCertificates.isPossible, "\(TestCertificates.requirement)"))
struct TestCertificatesTests {
    private func verdict(
        on kind: TestCertificate.Kind,
        trusting authority: URL,
        _ more: String...
    ) async throws -> (exit: ChildProcess.Exit, words: String) {
        let certificate = try TestCertificates.certificate(kind).certificate
        let trust = ["verify", "-no-CApath", "-no-CAstore", "-CAfile", authority.path]
        let process = try ChildProcess("/usr/bin/env", ["openssl"] + trust + more + [certificate.path])
        return (try await process.waitForExit(), process.errors)
    }

    @Test(arguments: [TestCertificate.Kind.good, .unknownIssuer, .selfSigned])
    func trustingItsAuthorityACertificateIsGood(kind: TestCertificate.Kind) async throws {
        let authority = try TestCertificates.certificate(kind).authority
        let byAddress = try await verdict(on: kind, trusting: authority, "-verify_ip", "127.0.0.1")
        #expect(byAddress.exit == .status(0), "\(byAddress.words)")
        let byName = try await verdict(on: kind, trusting: authority, "-verify_hostname", "localhost")
        #expect(byName.exit == .status(0), "\(byName.words)")
    }

    @Test(arguments: [
        (TestCertificate.Kind.expired, "certificate has expired"),
        (.otherHost, "IP address mismatch"),
        (.unknownIssuer, "unable to get local issuer certificate"),
        (.selfSigned, "self-signed certificate"),
    ])
    func trustingTheOneAuthorityTheOthersAreBad(kind: TestCertificate.Kind, words: String) async throws {
        let found = try await verdict(on: kind, trusting: TestCertificates.authority, "-verify_ip", "127.0.0.1")
        #expect(found.exit != .status(0) && found.words.contains(words), "\(found.words)")
    }
}
