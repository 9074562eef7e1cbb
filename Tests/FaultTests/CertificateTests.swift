import Foundation
import Spate
import SpateTestSupport
import Testing

/// Which certificates are trusted (ResumptionRules.md 94).
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct CertificateTests {
    private let bytes = FaultStory.bytes

    /// A bad certificate, and what must be said of it.
    static let bad: [(TestCertificate.Kind, String)] = [
        (.expired, "expired"), (.otherHost, "127.0.0.1"), (.unknownIssuer, "issuer"), (.selfSigned, "self-signed"),
    ]

    @Test(arguments: bad)
    func aBadCertificateIsRefusedBeforeAnyRequest(kind: TestCertificate.Kind, words: String) async throws {
        let story = try FaultStory(tls: ServerTLS(kind)) { $1 }
        let error = try await story.fails(.tls, keeping: 0, asking: [])
        #expect(error.message.contains("not trusted") && error.message.contains(words), "\(error.message)")
        #expect(story.server.connectionCount == 1)
    }

    @Test(arguments: [TestCertificate.Kind.good, .unknownIssuer, .selfSigned])
    func withItsAuthorityACertificateIsTrusted(kind: TestCertificate.Kind) async throws {
        let authority = try TestCertificates.certificate(kind).authority
        let story = try FaultStory(tls: ServerTLS(kind), { $0.certificateAuthorities = authority }) { $1 }
        try await story.publishes(asking: [nil])
    }

    @Test func trustedCertificatesBelongToOneManager() async throws {
        let story = try FaultStory(tls: .good) { $1 }
        try await story.publishes(asking: [nil])
        // The connection is still open, and both have one transport.
        let stranger = try TestManager()
        #expect(try await stranger.manager.download(story.server.url("/f")).ended().error?.code == .tls)
        #expect(story.server.requests.count == 1 && stranger.names.isEmpty)
    }

    @Test func aCertificateThatIsBadAtTheNextTryLeavesWhatIsHeld() async throws {
        let held = FaultStory.held
        let first = try TestServer(tls: .good) { .file(FaultStory.file, for: $0).stalled(after: held) }
        let authority = try TestCertificates.authority
        let test = try TestManager { $0.certificateAuthorities = authority }
        try await test.leavePartial(of: first.url("/f"), at: Int64(held))
        first.stop()
        let second = try TestServer(port: first.port, tls: ServerTLS(.unknownIssuer)) {
            .file(FaultStory.file, for: $0)
        }
        let error = try #require(try await test.manager.download(second.url("/f")).ended().error)
        #expect(error.code == .tls && error.keptPartialFile && second.requests.isEmpty, "\(error)")
        #expect(TestBytes.difference(try test.bytes("f.part"), from: bytes[..<held]) == nil && test.names == ["f.part"])
    }

    @Test func aRedirectToABadCertificateIsRefusedToo() async throws {
        let bad = try TestServer(tls: ServerTLS(.otherHost)) { .file(FaultStory.file, for: $0) }
        let story = try FaultStory(tls: .good) { _, _ in .redirect(to: bad.url("/g").absoluteString) }
        let error = try await story.fails(.tls, keeping: 0, asking: [nil])
        #expect(bad.requests.isEmpty && error.message.hasPrefix("The certificate of 127.0.0.1:"), "\(error)")
    }

    @Test(arguments: ["missing.pem", "empty.pem", "text.pem"])
    func anInvalidFileOfAuthoritiesIsNamed(name: String) async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url("empty.pem"))
        try Data("trust everybody\n".utf8).write(to: folder.url("text.pem"))
        let story = try FaultStory(tls: .good, { $0.certificateAuthorities = folder.url(name) }) { $1 }
        let error = try await story.fails(.tls, keeping: 0, asking: [])
        #expect(error.message.contains("file of trusted certificates"), "\(error.message)")
    }
}
