import Foundation
import Glibc

/// Passes connections on to a server at another port of 127.0.0.1, and can hold one in the middle of an answer until either
/// side ends it: for servers that cannot be told to stop short.
package final class Relay: Sendable {
    package let port: UInt16
    private let socket: ListeningSocket
    private let open = OpenConnections()
    /// How many bytes each connection has brought from the server, in the order of their beginnings.
    private let counts = Watched<[Int]>([])
    private let limit: Watched<Int?>

    /// - Parameter limit: After how many bytes a connection is held: the first that brings so many, and no other. `nil`
    ///   holds none.
    package init(to server: UInt16, holdingAfter limit: Int? = nil) throws {
        socket = try ListeningSocket()
        port = socket.port
        self.limit = Watched(limit)
        open.startThread { [socket, open, counts, limit = self.limit] in
            while open.waitForRoom(), let client = socket.accept() {
                let number = counts.update { counts in
                    counts.append(0)
                    return counts.count - 1
                }
                open.serve(client, number: number) {
                    guard let backend = Self.connection(to: server) else { return client.close() }
                    open.startThread {
                        Self.copy(from: client, to: backend) { _ in true }
                        backend.shutDown()
                    }
                    var isHeld = false
                    Self.copy(from: backend, to: client) { count in
                        let sum = counts.update { counts in
                            counts[number] += count
                            return counts[number]
                        }
                        isHeld = limit.update { limit in
                            guard let most = limit, sum >= most else { return false }
                            limit = nil
                            return true
                        }
                        return !isHeld
                    }
                    if isHeld { _ = client.wait(for: nil, upTo: nil) }
                    // Not closed: the other thread may be reading.
                    client.shutDown()
                    backend.shutDown()
                }
            }
            socket.close()
        }
    }

    deinit {
        socket.shutDown()
        open.stop()
    }

    package var byteCounts: [Int] { counts.value }

    /// Ends every connection there is now.
    package func cut() {
        open.shutDownAll()
    }

    /// Copies both ways until one side ends.
    static func join(_ client: SocketConnection, to server: SocketConnection, _ open: OpenConnections) {
        open.startThread {
            copy(from: client, to: server) { _ in true }
            server.shutDown()
        }
        copy(from: server, to: client) { _ in true }
        // Not closed: the other thread may be reading.
        client.shutDown()
        server.shutDown()
    }

    /// Copies until one side ends, or until `goesOn` returns false for the number of bytes just copied.
    static func copy(from source: SocketConnection, to target: SocketConnection, while goesOn: (Int) -> Bool) {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while true {
                let count = source.read(into: buffer)
                guard count > 0, target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count])) == count,
                    goesOn(count)
                else { return }
            }
        }
    }

    static func connection(to port: UInt16) -> SocketConnection? {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let connection = SocketConnection(adopting: descriptor)
        return LoopbackAddress.connect(descriptor, port: port) == 0 ? connection : nil
    }
}
