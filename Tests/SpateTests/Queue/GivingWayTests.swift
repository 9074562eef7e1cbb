import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// A server does not bear as many downloads as run: the latest wait again.
@Suite(.mostlyWaits) struct GivingWayTests {
    private static let file = TestBytes.random(count: 300_000)

    @Test func theLatestWaitsAgainAndIsContinued() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.file, etag: "\"v1\"", for: $0).gated(after: 100_000, gate) }
        let test = try TestManager { $0.maxConcurrentDownloads = 2 }
        let downloads = try await twoRunning(test, server)
        test.manager.maxConcurrentDownloads = 1
        test.manager.endLatest(1)
        try await eventually("b waits") { downloads[1].state.isWaiting }
        // It does not count as a failure, and has not started elsewhere.
        #expect(downloads[0].state.isRunning && server.requests.count == 2 && test.names == ["a.part", "b.part"])
        // In line, and not ahead of others in the operation queue, which knows no turns.
        #expect(test.manager.holdings.waiting == 1 && test.manager.feed.queue.operationCount == 1)
        gate.open()
        for download in downloads {
            let file = try await download.ended().get()
            #expect(try TestBytes.difference(test.bytes(file.lastPathComponent), from: Self.file) == nil)
        }
        let continued = server.requests.filter { $0.path == "/b" }
        #expect(continued.count == 2 && continued[1].range != nil && continued[1].ifRange == "\"v1\"")
    }

    /// Its bytes would be lost.
    @Test func oneThatCannotBeContinuedDoesNotGiveWay() async throws {
        let gate = try Gate()
        let server = try TestServer {
            .file(Self.file, for: $0).removingField("Accept-Ranges").gated(after: 100_000, gate)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 2 }
        let downloads = try await twoRunning(test, server)
        test.manager.maxConcurrentDownloads = 1
        test.manager.endLatest(1)
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
        #expect(server.requests.count == 2)
    }

    /// Whoever cancels it is not told that it waits.
    @Test func oneThatIsCancelledMeanwhileEnds() async throws {
        let server = try TestServer { .file(Self.file, etag: "\"v1\"", for: $0).stalled(after: 100_000) }
        let test = try TestManager { $0.maxConcurrentDownloads = 2 }
        let downloads = try await twoRunning(test, server)
        test.manager.maxConcurrentDownloads = 1
        test.manager.endLatest(1)
        downloads[1].cancel()
        let error = try await downloads[1].ended().error
        #expect(error?.code == .cancelled && downloads[0].state.isRunning)
        test.manager.cancelAll()
        try await test.filesAreClosed()
    }

    private func twoRunning(_ test: TestManager, _ server: TestServer) async throws -> [Download] {
        let first = test.manager.download(server.url("/a"))
        try await eventually("bytes of a") { first.progress.receivedBytes == 100_000 }
        let second = test.manager.download(server.url("/b"))
        try await eventually("bytes of b") { second.progress.receivedBytes == 100_000 }
        return [first, second]
    }
}
