import Foundation
import TestSupport
import Testing

/// What the server tells of itself, and how it ends.
struct TestServerTests {
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

    @Test func aConnectionIsClosedWhenTheClientSaysSo() throws {
        let client = try PlainClient(server)
        client.ask("/a", "Connection: close")
        #expect(client.readToEnd().end == .closed)
    }

    @Test func requestsThatArriveTogetherAreAnsweredInTurn() throws {
        let client = try PlainClient(server)
        client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /a HTTP/1.1\r\nConn")
        #expect(client.readAnswer().statusLine.contains("200"))
        #expect(client.readAnswer().statusLine.contains("404"))
        client.send("ection: close\r\n\r\n")
        #expect(Answer(client.readToEnd().bytes).body == Array("0123456789".utf8))
    }

    @Test func whatIsNotHTTPIsHungUpOn() throws {
        let client = try PlainClient(server)
        client.send("hello\r\n\r\n")
        #expect(client.readToEnd() == ([], .closed))
        #expect(server.requests.isEmpty)
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

    @Test func aHeldBackReplySendsNothingBeforeTheGateOpens() async throws {
        let gate = try Gate()
        let server = try TestServer { _ in .status(200, body: "x").heldBack(by: gate) }
        let clients = try (1...5).map { _ in try PlainClient(server) }
        for client in clients { client.ask("/") }
        try await gate.reached(times: 5)
        #expect(server.mostAtOnce == 5)
        #expect(server.bytesSent == 0)
        gate.open()
        for client in clients { #expect(client.readAnswer().body == [0x78]) }
    }

    @Test func aClientThatHasGoneIsNotCounted() async throws {
        let server = try TestServer { _ in .silence }
        for count in 1...20 {
            let client = try PlainClient(server)
            client.ask("/")
            try await server.waitForRequests(count)
        }
        // Not twenty. On a busy machine the kernel may bring the news of one client's end after the next one's request.
        #expect(server.mostAtOnce <= 2)
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

    @Test func waitingForRequestsEndsWithTheDeadline() async throws {
        await #expect(throws: DeadlineExceeded.self) {
            try await server.waitForRequests(1, within: .milliseconds(20))
        }
    }

    @Test func stoppingEndsEveryConnectionAndRefusesNewOnes() throws {
        let server = try TestServer { $0.path == "/idle" ? .status(200) : .silence }
        let (idle, busy) = (try PlainClient(server), try PlainClient(server))
        idle.ask("/idle")
        _ = idle.readAnswer()
        busy.ask("/busy")
        server.stop()
        #expect(idle.readToEnd().end != .nothingForAMinute)
        #expect(busy.readToEnd().end != .nothingForAMinute)
        #expect(throws: SystemError.self) { try PlainClient(server) }
        server.stop()
        let again = try TestServer(port: server.port) { _ in .status(200) }
        #expect(again.port == server.port)
    }

    @Test func stoppingWaitsForTheHandlers() async throws {
        let (gate, log) = (try Gate(), Recorder<String>())
        let server = try TestServer { _ in
            gate.pass()
            log.append("handled")
            return .hangUp
        }
        let client = try PlainClient(server)
        client.ask("/")
        try await gate.reached()
        Thread {
            server.stop()
            log.append("stopped")
        }.start()
        #expect(client.readToEnd().end == .closed, "the stop has begun")
        gate.open()
        #expect(try await log.wait(forCount: 2) == ["handled", "stopped"])
    }

    @Test func droppedConnectionsCloseAndTheServerGoesOn() throws {
        let client = try PlainClient(server)
        client.ask("/a")
        _ = client.readAnswer()
        server.dropConnections()
        #expect(client.readToEnd().end == .closed)
        let next = try PlainClient(server)
        next.ask("/a")
        #expect(next.readAnswer().body.count == 10)
    }

    @Test func aHandlerMayStopItsOwnServer() async throws {
        let held = Watched<TestServer?>(nil)
        let server = try TestServer { _ in
            held.value?.stop()
            return .status(200)
        }
        held.update { $0 = server }
        let client = try PlainClient(server)
        client.ask("/")
        #expect(client.readToEnd().bytes.isEmpty)
        held.update { $0 = nil }
    }
}
