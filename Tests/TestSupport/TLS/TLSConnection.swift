import SpateLocking

/// TLS over a socket: the socket's calls stay the socket's, the library sees memory alone.
final class TLSConnection: Connection {
    /// What one record holds at most.
    private static let largestRecord = 16_384

    private let socket: SocketConnection
    private let session: Locked<TLSSession>
    let client: String?
    let speaksHTTP2: Bool

    /// Does the handshake; `nil` when it fails.
    init?(over socket: SocketConnection, _ session: sending TLSSession) {
        self.socket = socket
        while true {
            do {
                try session.handshake()
                break
            } catch .wantsMore {
                guard session.flush(to: socket), session.receive(from: socket) else { return nil }
            } catch {
                // An alert says why.
                _ = session.flush(to: socket)
                return nil
            }
        }
        guard session.flush(to: socket) else { return nil }
        (client, speaksHTTP2) = (session.client, session.speaksHTTP2)
        self.session = Locked(session)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 2 * Self.largestRecord, alignment: 1) { incoming in
            while true {
                do throws(TLSSession.Failure) {
                    return try session.withLock { session throws(TLSSession.Failure) in
                        defer { _ = session.flush(to: socket) }
                        return try session.read(into: buffer)
                    }
                } catch .wantsMore {
                    let count = socket.read(into: incoming)
                    guard count > 0 else { return 0 }
                    session.withLock { $0.give(UnsafeRawBufferPointer(rebasing: incoming[..<count])) }
                } catch {
                    return 0
                }
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        session.withLock { session in
            var sent = 0
            while sent < bytes.count {
                let end = min(sent + Self.largestRecord, bytes.count)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[sent..<end])
                guard let count = try? session.write(piece), session.flush(to: socket) else { break }
                sent += count
            }
            return sent
        }
    }

    func close() {
        session.withLock { session in
            session.sayGoodbye()
            _ = session.flush(to: socket)
        }
        socket.close()
    }

    func closeUnannounced() { socket.close() }
    func wait(for descriptor: Int32?, upTo limit: Duration?) -> Bool { socket.wait(for: descriptor, upTo: limit) }
    func waitUntilDelivered() -> Bool { socket.waitUntilDelivered() }
    func reset() { socket.reset() }
    func shutDown() { socket.shutDown() }
    var peerHasLeft: Bool { socket.peerHasLeft }
}
