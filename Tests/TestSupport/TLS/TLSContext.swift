import CSpateTestTLS
import Foundation

/// A certificate and its key as the library holds them, shared by a server's connections.
final class TLSContext: Sendable {
    let handshake: ServerTLS.Handshake
    /// The library lets threads share it once it is made.
    private nonisolated(unsafe) let context: SpateTLSContext

    init(_ tls: ServerTLS) throws {
        if let reason = spate_tls_missing() { throw SystemError(String(cString: reason), number: ENOENT) }
        let certificate = try TestCertificates.certificate(tls.certificate)
        guard let context = spate_tls_context(certificate.certificate.path, certificate.key.path) else {
            throw SystemError("use of \(certificate.certificate.path)", number: EINVAL)
        }
        if tls.clients != .unasked {
            let authority = try TestCertificates.authority
            guard spate_tls_ask_clients(context, authority.path, tls.clients == .demanded ? 1 : 0) == 1 else {
                throw SystemError("use of \(authority.path)", number: EINVAL)
            }
        }
        self.context = context
        handshake = tls.handshake
        if tls.versions != .http1 { spate_tls_speak_http2(context, tls.versions == .http2 ? 1 : 0) }
    }

    deinit {
        spate_tls_context_free(context)
    }

    private func makeSession() -> sending TLSSession? {
        spate_tls_session(context).map { TLSSession(session: $0) }
    }

    /// Makes a secure connection of this one, unless the handshake fails or is meant to.
    func secure(_ socket: SocketConnection) -> TLSConnection? {
        switch handshake {
        case .right:
            if let session = makeSession(), let secured = TLSConnection(over: socket, session) { return secured }
            // The client may have sent its request before it reads why it is refused.
            socket.closeAfterPeer()
        case .spoken(let bytes):
            guard socket.hasSpoken() else { break }
            _ = bytes.withUnsafeBytes { socket.write($0) }
            socket.close()
        case .closed:
            if socket.hasSpoken() { socket.close() }
        case .reset:
            if socket.hasSpoken() { socket.reset() }
        }
        return nil
    }
}

extension SocketConnection {
    /// Waits for the peer's first bytes and drops them. False when none come.
    fileprivate func hasSpoken() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { read(into: $0) } > 0
    }
}
