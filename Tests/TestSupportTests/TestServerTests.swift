import Foundation
import TestSupport
import Testing

/// What the server counts, and how it ends.
@Suite(.takesTurns) struct TestServerTests {
    private let server: TestServer

    init() throws {
        server = try TestServer(files: ["/a": .init("0123456789")])
    }

    @Test func requestsAreNumberedByServerTargetAndConnection() throws {
        let first = try PlainClient(server)
        for target in ["/a", "/b", "/a"] {
            first.ask(target, "X-Name: value")
            _ = first.readAnswer()
        }
        let second = try PlainClient(server)
        second.ask("http://other:80/a?q")
        _ = second.readAnswer()
        #expect(server.requests.map(\.sequence) == [1, 2, 3, 4])
        #expect(server.requests.map(\.visit) == [1, 1, 2, 1])
        #expect(server.requests.map(\.connection) == [1, 1, 1, 2])
        #expect(server.requests.map(\.turn) == [1, 2, 3, 1])
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/a"])
        #expect(server.requests[0].fields["x-name"] == "value")
        #expect(server.connectionCount == 2)
    }

    /// Among a thousand ports that the system chooses some would be the same.
    @Test func noTwoServersHaveTheSamePort() throws {
        let ports = try (0..<1_000).map { _ in try TestServer(files: [:]).port }
        #expect(Set(ports).count == ports.count)
    }

    @Test func aGateStopsTheReplyExactlyThere() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/a": .init("0123456789")]) { $1.gated(after: 3, gate) }
        let client = try PlainClient(server)
        client.ask("/a")
        try await gate.reached()
        #expect(server.bytesSent == 3)
        #expect(server.mostAtOnce == 1)
        gate.open()
        #expect(client.readAnswer().body == Array("0123456789".utf8))
        #expect(server.bytesSent == 10)
    }

    @Test func aClientWithTheWholeReplyIsNotCounted() throws {
        let clients = try (1...4).map { _ in try PlainClient(server) }
        for _ in 1...250 {
            for client in clients {
                client.ask("/a")
                _ = client.readAnswer()
            }
        }
        #expect(server.requests.count == 1_000)
        #expect(server.mostAtOnce == 1)
    }

    @Test func whatFollowsThePromisedLengthIsNotCounted() throws {
        let gate = try Gate()
        let server = try TestServer { _ in
            .bytes(["HTTP/1.1 200 OK", "Content-Length: 3"], "0123456789").gated(after: 5, gate)
        }
        let clients = try (1...2).map { _ in try PlainClient(server) }
        for client in clients {
            client.ask("/a")
            #expect(client.readAnswer().body == Array("012".utf8))
        }
        #expect(server.mostAtOnce == 1)
        gate.open()
    }

    @Test func aClientThatHasLeftIsNotCountedWhileItsReplyIsSent() throws {
        let server = try TestServer { _ in .endless(.body) }
        for _ in 1...30 {
            let client = try PlainClient(server)
            client.ask("/a")
            #expect(client.read(100_000).count == 100_000)
            client.leave()
        }
        #expect(server.mostAtOnce == 1)
    }

    @Test func stoppingEndsEveryConnectionAndRefusesNewOnes() throws {
        let server = try TestServer { $0.path == "/idle" ? .status(200) : .silence }
        let (idle, busy) = (try PlainClient(server), try PlainClient(server))
        idle.ask("/idle")
        _ = idle.readAnswer()
        busy.ask("/busy")
        server.stop()
        #expect(idle.readToEnd().end != .silent)
        #expect(busy.readToEnd().end != .silent)
        #expect(throws: SystemError.self) { try PlainClient(server) }
    }
}
