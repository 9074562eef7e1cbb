import CSpateTestTLS

/// The server's side of one connection's TLS, from memory to memory. It may go from thread to thread, but has one user at
/// a time.
final class TLSSession {
    enum Failure: Error {
        /// The peer has to send more first.
        case wantsMore
        /// No more will come, or what came is no TLS.
        case ended
    }

    private let session: SpateTLSSession
    /// The bytes of the connection go through here: a record and what TLS puts around it.
    private var passing = [UInt8](repeating: 0, count: 20_480)

    init(session: SpateTLSSession) {
        self.session = session
    }

    deinit {
        spate_tls_session_free(session)
    }

    /// Takes what the peer has sent.
    func give(_ bytes: UnsafeRawBufferPointer) {
        _ = spate_tls_give(session, bytes.baseAddress, Int32(bytes.count))
    }

    /// Waits for bytes from the peer and takes them. False when there won't be any.
    func receive(from socket: SocketConnection) -> Bool {
        passing.withUnsafeMutableBytes { buffer in
            let count = socket.read(into: buffer)
            give(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return count > 0
        }
    }

    /// Sends everything that is ready for the peer. False when the connection is lost.
    func flush(to socket: SocketConnection) -> Bool {
        passing.withUnsafeMutableBytes { buffer in
            while true {
                let count = Int(spate_tls_take(session, buffer.baseAddress, Int32(buffer.count)))
                guard count > 0 else { return true }
                guard socket.write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) == count else { return false }
            }
        }
    }

    func handshake() throws(Failure) {
        _ = try Self.count(spate_tls_handshake(session))
    }

    /// Whether the two have agreed on HTTP/2.
    var speaksHTTP2: Bool { spate_tls_speaks_http2(session) == 1 }

    /// The subject of the client's certificate; `nil` if it has shown none.
    var client: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            spate_tls_client(session, start, Int32(buffer.count))
            let name = String(cString: start)
            return name.isEmpty ? nil : name
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        try Self.count(spate_tls_read(session, buffer.baseAddress, Int32(buffer.count)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
        try Self.count(spate_tls_write(session, bytes.baseAddress, Int32(bytes.count)))
    }

    func sayGoodbye() {
        spate_tls_close_notify(session)
    }

    private static func count(_ result: Int32) throws(Failure) -> Int {
        guard result <= 0 else { return Int(result) }
        throw result == Int32(SPATE_TLS_WANTS_MORE) ? .wantsMore : .ended
    }
}
