import CSpateTestTLS

/// How a test server speaks TLS.
package struct ServerTLS: Sendable {
    /// What becomes of the handshake, once the client's first message is there.
    package enum Handshake: Sendable {
        case right
        /// These bytes in place of TLS, and an orderly close.
        case spoken([UInt8])
        /// The first connection speaks HTTP/2: it sends frames, more when the gate is open, and closes, with a close_notify if
        /// that is announced. Later ones are as in `right`.
        case frames([UInt8], Gate, [UInt8], isAnnounced: Bool)
        case closed
        case reset
    }

    /// Whether clients have to show a certificate of the tests' authority.
    package enum Clients: Sendable {
        case unasked, asked, demanded
    }

    package var certificate: TestCertificate.Kind
    package var handshake: Handshake
    package var clients: Clients

    package init(
        _ certificate: TestCertificate.Kind = .good,
        handshake: Handshake = .right,
        clients: Clients = .unasked
    ) {
        self.certificate = certificate
        self.handshake = handshake
        self.clients = clients
    }

    package static let good = ServerTLS(.good)

    /// Whether this machine has what it takes.
    package static var isPossible: Bool { spate_tls_missing() == nil && TestCertificates.isPossible }
    /// For `.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)")`.
    package static var requirement: String {
        spate_tls_missing().map { String(cString: $0) } ?? TestCertificates.requirement
    }
}
