import Foundation
import Testing

@testable import spate_benchmark

/// Times have a lower bound only: no server on a busy machine is too fast.
@Suite(.serialized) struct ModelServerTests {
    private let folder: TemporaryFolder
    private let bytes: Data

    init() throws {
        folder = try TemporaryFolder()
        bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try bytes.write(to: folder.url("file"))
    }

    private static let get = "GET /file HTTP/1.1\r\nHost: a\r\n\r\n"

    /// A connection on which a test writes requests and reads answers, waiting at most a minute.
    private final class Client {
        private let descriptor: Int32

        init(_ server: ModelServer) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            address.sin_port = server.port.bigEndian
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            let status = withUnsafeBytes(of: &address) {
                connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
            }
            guard status == 0 else { throw SystemError("connect") }
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        }

        /// The head and the body of the next response; `nil` where the server has closed the connection.
        func response() -> (head: String, body: Data)? {
            var data = Data()
            while true {
                if let end = data.firstRange(of: Data("\r\n\r\n".utf8)) {
                    let head = String(decoding: data[..<end.lowerBound], as: UTF8.self)
                    let field = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") } ?? ""
                    let length = Int(field.dropFirst("Content-Length: ".count)) ?? 0
                    let body = data[end.upperBound...]
                    if body.count >= length { return (head, Data(body.prefix(length))) }
                }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return nil }
                data += buffer.prefix(count)
            }
        }
    }

    private func elapsed(_ body: () -> Void) -> Double {
        ContinuousClock().measure(body) / .seconds(1)
    }

    @Test func aFileAndARangeOfItComeAsTheyAre() async throws {
        let server = try ModelServer(ServerModel(waitSeconds: 0), serving: folder.path)
        let client = try Client(server)
        client.send(Self.get)
        let whole = try #require(client.response())
        #expect(whole.head.hasPrefix("HTTP/1.1 200 ") && whole.body == bytes)
        client.send("GET /file HTTP/1.1\r\nRange: bytes=1000-2999\r\nIf-Range: \"file-200000\"\r\n\r\n")
        let part = try #require(client.response())
        #expect(part.head.hasPrefix("HTTP/1.1 206 ") && part.body == bytes[1_000..<3_000])
        #expect(part.head.contains("Content-Range: bytes 1000-2999/200000"))
        client.send("GET /file HTTP/1.1\r\nRange: bytes=1000-2999\r\nIf-Range: \"another\"\r\n\r\n")
        #expect(client.response()?.body == bytes)
        client.send("GET /none HTTP/1.1\r\n\r\n")
        #expect(client.response()?.head.hasPrefix("HTTP/1.1 404 ") == true)
        try await server.stop()
        #expect(server.counts.answered == 3 && server.counts.mostOpen == 1)
    }

    @Test func connectionsShareTheRate() async throws {
        let server = try ModelServer(ServerModel(waitSeconds: 0, sharedRate: 1e6), serving: folder.path)
        let clients = try (0..<3).map { _ in try Client(server) }
        let seconds = elapsed {
            for client in clients { client.send(Self.get) }
            for client in clients { #expect(client.response()?.body == bytes) }
        }
        #expect(seconds > 0.5)
        try await server.stop()
    }

    @Test func eachConnectionHasItsRate() async throws {
        let server = try ModelServer(ServerModel(waitSeconds: 0, rateEach: 400_000), serving: folder.path)
        let clients = try (0..<8).map { _ in try Client(server) }
        let seconds = elapsed {
            for client in clients { client.send(Self.get) }
            for client in clients { #expect(client.response()?.body == bytes) }
        }
        // One after the other would take four seconds.
        #expect(seconds > 0.4 && seconds < 3.9)
        try await server.stop()
    }

    @Test func beyondItsConnectionsAServerCollapses() async throws {
        let model = ServerModel(waitSeconds: 0, rateEach: 10e6, most: 9, excess: .collapses(seconds: 0.5))
        let server = try ModelServer(model, serving: folder.path)
        var clients = try (0..<9).map { _ in try Client(server) }
        clients[8].send(Self.get)
        #expect(clients[8].response()?.body == bytes)
        #expect(server.counts.collapses == 0)
        clients.append(try Client(server))
        // The tenth is held, and the file is 200 kB at 200 kB/s.
        let seconds = elapsed {
            clients[0].send(Self.get)
            #expect(clients[0].response()?.body == bytes)
        }
        #expect(seconds > 0.8)
        clients.removeLast()
        // It recovers when that has gone.
        try await Task.sleep(for: .milliseconds(700))
        clients[0].send(Self.get)
        #expect(clients[0].response()?.body == bytes)
        try await server.stop()
        #expect(server.counts.collapses == 1 && server.counts.mostOpen == 10)
    }

    @Test func beyondItsRequestsAServerRefuses() async throws {
        let model = ServerModel(waitSeconds: 1, most: 2, excess: .refuses)
        let server = try ModelServer(model, serving: folder.path)
        let clients = try (0..<3).map { _ in try Client(server) }
        for client in clients { client.send(Self.get) }
        let responses = clients.map { $0.response() }
        let refused = try #require(responses.compactMap { $0 }.first { $0.body.isEmpty })
        #expect(refused.head.hasPrefix("HTTP/1.1 503 ") && refused.head.contains("Retry-After: 1"))
        try await server.stop()
        #expect(server.counts.refused == 1 && server.counts.answered == 2)
    }

    @Test func beyondItsConnectionsAServerClosesThem() async throws {
        let server = try ModelServer(ServerModel(waitSeconds: 0, most: 2, excess: .closes), serving: folder.path)
        let clients = try (0..<2).map { _ in try Client(server) }
        for client in clients { client.send(Self.get) }
        #expect(clients.allSatisfy { $0.response()?.body == bytes })
        let third = try Client(server)
        third.send(Self.get)
        #expect(third.response() == nil)
        try await server.stop()
        #expect(server.counts.refused == 1 && server.counts.answered == 2)
    }

    @Test func answersComeLaterTheMoreIsAsked() async throws {
        let model = ServerModel(waitSeconds: 0.2, waitForEachSeconds: 0.3)
        let server = try ModelServer(model, serving: folder.path)
        let clients = try (0..<3).map { _ in try Client(server) }
        let alone = elapsed {
            clients[0].send(Self.get)
            #expect(clients[0].response()?.body == bytes)
        }
        let together = elapsed {
            for client in clients { client.send(Self.get) }
            for client in clients { #expect(client.response()?.body == bytes) }
        }
        #expect(alone >= 0.2 && together >= 0.8)
        try await server.stop()
    }
}
