package import Foundation
import SpateLocking

/// A server on 127.0.0.1, or another loopback address, over TCP or TLS, that does exactly what a test says, right or wrong.
/// It speaks HTTP/1.1, and HTTP/2 if its TLS says so.
///
///     let server = try TestServer(files: ["/a.bin": .init(content, etag: "\"v1\"")]) { request, reply in
///         request.visit == 1 ? reply.cut(after: 1_000) : reply
///     }
///
/// Connections are kept alive unless the reply or the request says otherwise; each has a thread, on which the handler
/// runs. It stops when it is no longer referenced: keep it in a variable that is used to the test's end.
package final class TestServer: Sendable {
    package typealias Handler = @Sendable (ReceivedRequest) -> Reply

    package let port: UInt16
    /// How it speaks TLS, if it does.
    package let tls: ServerTLS?
    private let socket: ListeningSocket
    private let log = ServerLog()
    private let open = OpenConnections()

    /// Asks `handler` for the reply to each request.
    ///
    /// - Parameters:
    ///   - port: the port to listen on, as of a server that was stopped; 0 for a free one.
    ///   - address: the address to listen on.
    ///   - tls: how it speaks TLS; for tests that are enabled if `ServerTLS.isPossible`.
    package init(
        port: UInt16 = 0,
        address: String = LoopbackAddress.usual,
        tls: ServerTLS? = nil,
        _ handler: @escaping Handler
    ) throws {
        Turns.expect(for: "holds a server")
        self.tls = tls
        let context = try tls.map { try TLSContext($0) }
        socket = try ListeningSocket(port: port, address: address)
        self.port = socket.port
        open.startThread { [socket, log, open] in
            while open.waitForRoom(), let connection = socket.accept() {
                let number = log.connected()
                open.serve(connection, number: number) {
                    let secured: (any Connection)? = context.map { $0.secure(connection) } ?? connection
                    guard let secured else { return }
                    if (secured as? TLSConnection)?.speaksHTTP2 == true {
                        HTTP2Conversation(connection: secured, number: number, log: log, handler: handler)?.run()
                        return
                    }
                    Conversation(connection: secured, number: number, log: log, handler: handler).run()
                }
            }
            socket.close()
        }
    }

    /// Serves these files by their paths, and 404 for all others; each answer is passed through `changing` first.
    package convenience init(
        port: UInt16 = 0,
        tls: ServerTLS? = nil,
        files: [String: TestFile],
        changing change: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) throws {
        try self.init(port: port, tls: tls) { request in
            let right = files[request.path].map { Reply.file($0, for: request) }
            return change(request, right ?? .status(404, body: "not here\n"))
        }
    }

    deinit {
        stop()
    }

    /// Closes the listener and every connection and returns when all threads have ended. May be called again.
    package func stop() {
        socket.shutDown()
        open.stop()
    }

    /// The URL of a target on this server.
    ///
    /// - Parameter authority: what stands before the port, such as `localhost` or `user:pass@127.0.0.1`.
    package func url(_ target: String, authority: String = "127.0.0.1") -> URL {
        let text = "\(tls == nil ? "http" : "https")://\(authority):\(port)\(target)"
        guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
        return url
    }
}

extension TestServer {
    /// Every request whose head has arrived, oldest first.
    package var requests: [ReceivedRequest] { log.state.requests }

    /// The largest number of requests that were being answered at one time.
    ///
    /// A request counts from its head's arrival until the server is about to give away the last of the reply, or the
    /// client has gone: so a client that keeps to a limit is never seen above it.
    package var mostAtOnce: Int { log.state.mostAtOnce }

    package var connectionCount: Int { log.state.connectionCount }

    /// The connections that are open now: neither side has ended them.
    package var openConnections: Int { open.count }

    /// The bytes of bodies handed to the system; at least what clients have received.
    package var bytesSent: Int { log.state.bytesSent }

    /// The bytes of the body of a request's reply, counted in the same way.
    package func bytesSent(for request: ReceivedRequest) -> Int { log.state.bytesByRequest[request.sequence] ?? 0 }

    /// Returns the requests as soon as there are this many.
    @discardableResult
    package func waitForRequests(
        _ count: Int,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> [ReceivedRequest] {
        try await log.watched.wait(
            for: "\(count) requests",
            until: { $0.requests.count >= count },
            fileID: fileID,
            line: line
        ).requests
    }
}
