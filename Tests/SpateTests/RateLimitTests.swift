import Foundation
import Spate
import TestSupport
import Testing

/// Limits of the rate, of all downloads and of one.
@Suite(.takesTurns) struct RateLimitTests {
    private static let bytes = TestBytes.random(count: 500_000)

    private func server() throws -> TestServer {
        try TestServer { .file(Self.bytes, etag: "\"v1\"", for: $0) }
    }

    @Test func allDownloadsTogetherKeepToTheManagersLimit() async throws {
        let (server, test) = (try server(), try TestManager { $0.maxBytesPerSecond = 2_500_000 })
        #expect(test.manager.maxBytesPerSecond == 2_500_000)
        let start = ContinuousClock.now
        for download in test.manager.download([server.url("/a"), server.url("/b")]) {
            _ = try await download.ended().get()
        }
        #expect(ContinuousClock.now - start >= .milliseconds(400))
        #expect(try test.bytes("a") == Self.bytes && test.bytes("b") == Self.bytes)
    }

    @Test func aDownloadKeepsToItsOwnLimitAndOthersDoNot() async throws {
        let (server, test) = (try server(), try TestManager())
        var request = DownloadRequest(server.url("/a"))
        request.maxBytesPerSecond = 1
        let download = test.manager.download(request)
        #expect(download.maxBytesPerSecond == 1)
        _ = try await test.manager.download(server.url("/b")).ended().get()
        #expect(!download.state.isTerminal)
        download.maxBytesPerSecond = nil
        #expect(download.maxBytesPerSecond == nil)
        _ = try await download.ended().get()
        #expect(try test.bytes("a") == Self.bytes)
    }

    @Test func aLimitThatIsSetWhileItRunsHoldsAtOnce() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.bytes, etag: "\"v1\"", for: $0).gated(after: 100_000, gate) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/a"))
        try await gate.reached()
        download.maxBytesPerSecond = 1_000_000
        let start = ContinuousClock.now
        gate.open()
        _ = try await download.ended().get()
        #expect(ContinuousClock.now - start >= .milliseconds(390))
        #expect(server.requests.count == 1)
    }

    @Test func theManagersLimitIsLiftedAtOnce() async throws {
        let (server, test) = (try server(), try TestManager { $0.maxBytesPerSecond = 1 })
        let download = test.manager.download(server.url("/a"))
        try await server.waitForRequests(1)
        test.manager.maxBytesPerSecond = nil
        _ = try await download.ended().get()
    }

    @Test func lessThanOneCountsAsOne() throws {
        let test = try TestManager { $0.maxBytesPerSecond = -5 }
        #expect(test.manager.maxBytesPerSecond == 1)
        var request = DownloadRequest(try #require(URL(string: "http://127.0.0.1:9/a")))
        request.maxBytesPerSecond = 0
        let download = test.manager.download(request)
        #expect(download.maxBytesPerSecond == 1)
        download.maxBytesPerSecond = .min
        #expect(download.maxBytesPerSecond == 1)
    }

    @Test func aPauseKeepsTheLimit() async throws {
        let (server, test) = (try server(), try TestManager())
        let download = test.manager.download(server.url("/a"))
        download.pause()
        download.maxBytesPerSecond = 1
        download.resume()
        try await server.waitForRequests(1)
        #expect(download.maxBytesPerSecond == 1 && !download.state.isTerminal)
        download.maxBytesPerSecond = 50_000_000
        _ = try await download.ended().get()
    }

    @Test func underALimitThereIsOneConnection() async throws {
        let bytes = TestBytes.random(count: 5 << 20)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0) }
        let test = try TestManager {
            $0.connectionsPerDownload = .exactly(4)
            $0.maxBytesPerSecond = 50_000_000
        }
        _ = try await test.manager.download(server.url("/a")).ended().get()
        #expect(server.requests.count == 1)
        #expect(TestBytes.difference(try test.bytes("a"), from: bytes) == nil)
    }

    @Test func otherConnectionsEndWhenALimitIsSet() async throws {
        let bytes = TestBytes.random(count: 8 << 20)
        let gate = try Gate()
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).gated(after: 500_000, gate) }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(4) }
        let download = test.manager.download(server.url("/a"))
        try await gate.reached(times: 4)
        download.maxBytesPerSecond = 100_000_000
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
