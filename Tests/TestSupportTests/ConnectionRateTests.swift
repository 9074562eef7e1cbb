import TestSupport
import Testing

/// What a server gives each connection, and what it counts.
@Suite(.takesTurns) struct ConnectionRateTests {
    private let content = TestBytes.random(count: 100_000)

    @Test func aRateHoldsOverAllRepliesOfAConnection() throws {
        let rates = ConnectionRates { $0 == 1 ? 400_000 : 40_000_000 }
        let server = try TestServer(files: ["/a": .init(content)]) { $1.paced(by: rates, for: $0) }
        let (slow, fast) = (try PlainClient(server), try PlainClient(server))
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 1...2 {
                slow.ask("/a")
                #expect(TestBytes.difference(slow.readAnswer().body, from: content) == nil)
            }
        }
        // Half a second, less what a bucket saves and the last piece.
        #expect(time >= .milliseconds(460))
        fast.ask("/a")
        #expect(TestBytes.difference(fast.readAnswer().body, from: content) == nil)
        #expect(server.requests.map(\.connection) == [1, 1, 2])
        #expect(server.requests.map(server.bytesSent) == [100_000, 100_000, 100_000])
    }

    @Test func openConnectionsAreThoseThatNobodyHasEnded() async throws {
        let server = try TestServer(files: ["/a": .init(content)]) { $1.stalled(after: 1_000) }
        let first = try PlainClient(server)
        do {
            let second = try PlainClient(server)
            for client in [first, second] {
                client.ask("/a")
                #expect(client.read(1_000).count == 1_000)
            }
            #expect(server.openConnections == 2)
        }
        try await eventually("the end of the second") { server.openConnections == 1 }
        #expect(server.mostOpenConnections == 2)
    }
}
