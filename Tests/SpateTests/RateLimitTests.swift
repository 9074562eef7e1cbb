import Foundation
import Spate
import SpateTestSupport
import Testing

/// Limits of the rate, of all downloads and of one.
@Suite(.takesTurns) struct RateLimitTests {
    private static let bytes = TestBytes.random(count: 500_000)

    /// Who has a limit: all downloads, a request, or a download that is paused.
    enum Owner: CaseIterable { case all, request, paused }

    @Test(arguments: Owner.allCases) func aLimitHoldsUntilItIsLifted(owner: Owner) async throws {
        // Otherwise it may have come before it is paused.
        let gate = try Gate()
        let server = try TestServer {
            let reply = Reply.file(Self.bytes, etag: "\"v1\"", for: $0)
            return $0.path == "/a" ? reply.heldBack(by: gate) : reply
        }
        let test = try TestManager { if owner == .all { $0.maxBytesPerSecond = 1 } }
        var request = DownloadRequest(server.url("/a"))
        if owner == .request { request.maxBytesPerSecond = 1 }
        let download = test.manager.download(request)
        if owner == .paused {
            download.pause()
            download.maxBytesPerSecond = 1
            download.resume()
        }
        gate.open()
        #expect((owner == .all ? test.manager.maxBytesPerSecond : download.maxBytesPerSecond) == 1)
        try await server.waitForRequests(1)
        // It is no other's.
        if owner != .all { _ = try await test.manager.download(server.url("/b")).ended().get() }
        #expect(!download.state.isTerminal)
        if owner == .all { test.manager.maxBytesPerSecond = nil } else { download.maxBytesPerSecond = nil }
        _ = try await download.ended().get()
        #expect(try test.bytes("a") == Self.bytes)
    }

    @Test func lessThanOneCountsAsOne() throws {
        let test = try TestManager { ($0.maxBytesPerSecond, $0.maxConcurrentDownloads) = (-5, 0) }
        #expect(test.manager.maxBytesPerSecond == 1 && test.manager.maxConcurrentDownloads == 1)
        test.manager.maxConcurrentDownloads = -3
        #expect(test.manager.maxConcurrentDownloads == 1)
        var request = DownloadRequest(try #require(URL(string: "http://127.0.0.1:9/a")))
        request.maxBytesPerSecond = 0
        let download = test.manager.download(request)
        #expect(download.maxBytesPerSecond == 1)
        download.maxBytesPerSecond = .min
        #expect(download.maxBytesPerSecond == 1)
    }

    @Test(arguments: [false, true]) func otherConnectionsEndWhenALimitIsSet(isOfAll: Bool) async throws {
        let bytes = TestBytes.random(count: 8 << 20)
        let gate = try Gate()
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).gated(after: 500_000, gate) }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(4) }
        let download = test.manager.download(server.url("/a"))
        try await gate.reached(times: 4)
        if isOfAll { test.manager.maxBytesPerSecond = 100_000_000 } else { download.maxBytesPerSecond = 100_000_000 }
        try await eventually("one connection is left") { server.openConnections == 1 }
        let before = server.requests.count
        gate.open()
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("a"), from: bytes) == nil)
        // Each gap that the others left costs a request; nothing is read twice.
        #expect(server.requests.dropFirst(before).allSatisfy { $0.atOnce <= 2 })
        #expect(download.progress.connectionCount <= 1)
    }
}
