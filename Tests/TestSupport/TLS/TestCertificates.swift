package import Foundation
import SpateLocking

/// Certificates made with the `openssl` program, once for the process and when first asked for.
///
/// Tests that use them are `.enabled(if: TestCertificates.isPossible, "\(TestCertificates.requirement)")`.
package enum TestCertificates {
    /// Whether the program is there. Where it is and fails, so do the tests.
    package static let isPossible = program != nil
    package static let requirement = "certificates are made with the openssl program"

    package static func certificate(_ kind: TestCertificate.Kind) throws -> TestCertificate {
        try made.get().certificate(kind)
    }

    /// What a client must trust to trust all certificates that are not by another issuer.
    package static var authority: URL {
        get throws { try certificate(.good).authority }
    }

    package static var client: TestClient {
        get throws { try made.get().client }
    }

    static let program = InstalledProgram.path("openssl")

    /// Held until the process ends: any test may still use the files.
    private static let folder = Locked<TemporaryFolder?>(nil)

    private static let made = Result {
        let folder = try TemporaryFolder()
        TestCertificates.folder.withLock { $0 = folder }
        atexit { TestCertificates.folder.withLock { $0 = nil } }
        return try CertificateWorkshop(folder: folder.url)
    }
}

/// A server's certificate for tests, right or wrong, with its key: files in PEM.
package struct TestCertificate: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// For 127.0.0.1 and localhost, by `TestCertificates.authority`, and valid now.
        case good
        /// Good but for its time, which was the first day of 2020.
        case expired
        /// Good but for its names: it is for `other.invalid` and 127.0.0.2.
        case otherHost
        /// Good but for its issuer, which is another authority.
        case unknownIssuer
        /// Its own issuer.
        case selfSigned
    }

    package let kind: Kind
    package let certificate: URL
    package let key: URL
    /// What a client must trust to trust this certificate, if anything will do.
    package let authority: URL
}

/// Certificates and keys of clients, in PEM files.
package struct TestClient: Sendable {
    let folder: URL

    /// By `TestCertificates.authority`.
    package var certificate: URL { folder.appendingPathComponent("client.pem") }
    package var key: URL { folder.appendingPathComponent("client.key") }
    /// The certificate and its key in one file.
    package var both: URL { folder.appendingPathComponent("both.pem") }
    /// The key with the passphrase `hidden-word`.
    package var lockedKey: URL { folder.appendingPathComponent("locked.key") }
    /// The same in the earlier form of OpenSSL.
    package var keyLockedAsBefore: URL { folder.appendingPathComponent("locked-before.key") }
    /// A certificate by another authority, and its key.
    package var foreignCertificate: URL { folder.appendingPathComponent("foreign.pem") }
    package var foreignKey: URL { folder.appendingPathComponent("foreign.key") }

    /// What a server is shown with the first certificate.
    package static let subject = "/CN=Test client"
}
