import Testing

@testable import spate_benchmark

@Suite struct ServerModelTests {
    @Test func connectionsShareARateOrHaveTheirOwn() {
        let shared = ServerModel(waitSeconds: 0, sharedRate: 8e6)
        #expect(shared.bytes(in: 0.5, among: 1, hasCollapsed: false) == 4e6)
        #expect(shared.bytes(in: 0.5, among: 4, hasCollapsed: false) == 1e6)
        let each = ServerModel(waitSeconds: 0, rateEach: 2e6)
        #expect(each.bytes(in: 0.5, among: 40, hasCollapsed: false) == 1e6)
        let both = ServerModel(waitSeconds: 0, sharedRate: 8e6, rateEach: 2e6)
        #expect(both.bytes(in: 1, among: 2, hasCollapsed: false) == 2e6)
        #expect(both.bytes(in: 1, among: 8, hasCollapsed: false) == 1e6)
        #expect(ServerModel(waitSeconds: 0).bytes(in: 1, among: 1, hasCollapsed: false) == nil)
    }

    @Test func aCollapsedServerGivesAFiftieth() {
        let model = ServerModel(waitSeconds: 0, rateEach: 1e6, most: 9, excess: .collapses(seconds: 3))
        #expect(model.bytes(in: 1, among: 10, hasCollapsed: true) == 20_000)
    }

    @Test func answersComeLaterTheMoreIsOwed() {
        let model = ServerModel(waitSeconds: 0.5, waitForEachSeconds: 0.25)
        #expect(model.wait(owing: 0) == 0.5 && model.wait(owing: 4) == 1.5)
    }

    @Test func wordsSayAllThatAModelDoes() {
        #expect(
            Scenario.servers.map { $0.work.split(separator: ", ", maxSplits: 1)[1] } == [
                "answers after 30 ms, 16 MB/s for all connections",
                "answers after 30 ms, 1 MB/s for each connection",
                "answers after 30 ms, 4 MB/s for each connection, collapses for 3 s beyond 9 connections",
                "answers after 50 ms, 4 MB/s for each connection, 503 beyond 11 requests",
                "answers after 50 ms, 4 MB/s for each connection, closes connections beyond 11",
                "answers after 20 ms and 6 ms for each that it owes",
            ]
        )
    }

    @Test func aRequestIsReadWithItsRange() {
        let request = ModelRequest("GET /file-1 HTTP/1.1\r\nHost: a\r\nRANGE: bytes=5-9\r\nIf-Range: \"version\"")
        #expect(request.name == "file-1" && !request.isHead && request.ifRange == "\"version\"")
        #expect(request.range?.first == 5 && request.range?.last == 9)
        let open = ModelRequest("HEAD /a HTTP/1.1\r\nRange: bytes=7-")
        #expect(open.isHead && open.range?.first == 7 && open.range?.last == nil)
        #expect(ModelRequest("GET / HTTP/1.1\r\nRange: bytes=0-1,3-4").range?.last == nil)
    }
}
