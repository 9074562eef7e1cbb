import CSpateTestHPACK
import CSpateTestTLS

/// How a test server speaks TLS.
package struct ServerTLS: Sendable {
    /// What becomes of the handshake, once the client's first message is there.
    package enum Handshake: Sendable {
        case right
        /// These bytes in place of TLS, and an orderly close.
        case spoken([UInt8])
        case closed
        case reset
    }

    /// Whether clients have to show a certificate of the tests' authority.
    package enum Clients: Sendable {
        case unasked, asked, demanded
    }

    /// The versions of HTTP that the server speaks.
    package enum Versions: Sendable {
        case http1, both, http2
    }

    package var certificate: TestCertificate.Kind
    package var handshake: Handshake
    package var clients: Clients
    package var versions: Versions

    package init(
        _ certificate: TestCertificate.Kind = .good,
        handshake: Handshake = .right,
        clients: Clients = .unasked,
        versions: Versions = .http1
    ) {
        self.certificate = certificate
        self.handshake = handshake
        self.clients = clients
        self.versions = versions
    }

    package static let good = ServerTLS(.good)

    /// Whether this machine has what it takes.
    package static var isPossible: Bool { spate_tls_missing() == nil && TestCertificates.isPossible }
    /// Whether it can also speak HTTP/2.
    package static var isPossibleOverHTTP2: Bool { isPossible && spate_hpack_missing() == nil }
    /// For `.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)")`.
    package static var requirement: String {
        (spate_tls_missing() ?? spate_hpack_missing()).map { String(cString: $0) } ?? TestCertificates.requirement
    }
}
