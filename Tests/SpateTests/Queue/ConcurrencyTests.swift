import Foundation
import SpateHTTPTransport
import SpatePacing
import SpateTestSupport
import Testing

@testable import Spate

/// `DownloadManager.concurrency`. `PaceTests` has how the automatic number is found.
@Suite(.takesTurns) struct ConcurrencyTests {
    @Test func anotherNumberTakesEffectAtOnceAndIsReported() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let downloads = test.manager.download((0..<5).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 1 })
        test.manager.concurrency = .exactly(3)
        try await test.transport.started.wait(until: { $0 == 3 })
        #expect(test.manager.maxConcurrentDownloads == 3)
        test.manager.maxConcurrentDownloads = 2
        #expect(test.manager.concurrency == .exactly(2))
        // The fourth waits until two of three have ended.
        downloads[0].cancel()
        downloads[1].cancel()
        try await test.transport.started.wait(until: { $0 == 4 })
        // With fewer at once, a connection may be left that nobody needs.
        #expect(test.transport.requests.values.map(\.closesIdleConnections) == [false, false, false, true])
        #expect(
            try await test.concurrencyChanges.wait(forCount: 2) == [
                ConcurrencyChange(limit: 3, former: 1, reason: .set),
                ConcurrencyChange(limit: 2, former: 3, reason: .set),
            ]
        )
    }

    @Test func theSameNumberIsNoChange() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 4)
        test.manager.concurrency = .exactly(4)
        test.manager.concurrency = .exactly(5)
        #expect(
            try await test.concurrencyChanges.wait(forCount: 1) == [
                ConcurrencyChange(limit: 5, former: 4, reason: .set)
            ]
        )
    }

    /// Whoever has chosen more wants no sudden fall.
    @Test func anAutomaticNumberBeginsWithThePresentOneOrItsMost() throws {
        let test = try SilentManager(maxConcurrentDownloads: 9)
        for (most, first) in [(64, 9), (3, 3), (64, 3), (2, 2), (1, 1), (0, 1), (-1, 1)] {
            test.manager.concurrency = .automatic(atMost: most)
            #expect(test.manager.maxConcurrentDownloads == first)
            #expect(test.manager.concurrency == .automatic(atMost: most))
        }
        test.manager.concurrency = .automatic
        #expect(test.manager.concurrency == .automatic(atMost: 64))
        test.manager.maxConcurrentDownloads = 9
        #expect(test.manager.concurrency == .exactly(9))
    }

    @Test(arguments: [(DownloadConcurrency.exactly(0), 1), (.exactly(-7), 1), (.exactly(1_000), 1_000)])
    func atLeastOneDownloadRuns(concurrency: DownloadConcurrency, count: Int) throws {
        let test = try SilentManager()
        test.manager.concurrency = concurrency
        #expect(test.manager.maxConcurrentDownloads == count)
    }

    /// Small files that come quickly, and many that wait: without its most, the number would grow.
    @Test func noMoreRunThanTheMostOfAnAutomaticNumber() async throws {
        let file = TestFile("abc", etag: "\"v1\"")
        let server = try TestServer { Reply.file(file, for: $0) }
        let changes = Recorder<ConcurrencyChange>()
        let test = try TestManager {
            $0.concurrency = .automatic(atMost: 2)
            $0.concurrencyChanged = changes.append
        }
        for download in test.manager.download((0..<500).map { server.url("/f\($0)") }) {
            _ = try await download.ended().get()
        }
        #expect(server.mostAtOnce <= 2)
        #expect(changes.values.allSatisfy { (1...2).contains($0.limit) }, "\(changes.values)")
    }

    /// It serves six at once, and closes other connections without an answer.
    @Test func aServerThatTurnsConnectionsAwayGetsAsManyAsItServes() async throws {
        let file = TestFile(String(repeating: "x", count: 20_000), etag: "\"v1\"")
        let server = try TestServer { request in
            if request.atOnce > 6 { return .raw("") }
            return .file(file, for: request).throttled(bytesPerSecond: 100_000)
        }
        let changes = Recorder<ConcurrencyChange>()
        let test = try TestManager {
            $0.maxConcurrentDownloads = 12
            $0.concurrencyChanged = changes.append
            $0.retry = RetryPolicy(maxRetriesWithoutProgress: 5, firstDelay: .milliseconds(200))
        }
        // However slow this machine is, it begins with more than the server takes.
        test.manager.concurrency = .automatic
        for download in test.manager.download((0..<60).map { server.url("/f\($0)") }) {
            _ = try await download.ended().get()
        }
        let turnedAway = changes.values.filter { $0.reason == .turnedAway }
        #expect(turnedAway.last?.host.map { server.url("/").absoluteString == $0 + "/" } ?? false, "\(changes.values)")
        #expect(turnedAway.allSatisfy { $0.limit < $0.former })
        #expect(turnedAway.last.map { (3...8).contains($0.limit) } ?? false, "\(turnedAway)")
    }

    /// What came before is no measure of what comes now.
    @Test func anAutomaticNumberForgetsWhatCameBeforeIt() async throws {
        let time = TurnedTime()
        let test = try SilentManager(on: time.platform)
        let (manager, rate) = (test.manager, RateShare(of: test.manager.rateLimit))
        test.transport.letGo()
        manager.download((0..<200).map { test.url("\($0)") })
        rate.noteArrival(64 << 20)
        manager.concurrency = .automatic
        // In each round trip, what runs is answered, and receives little.
        for _ in 0..<8 {
            let (running, sent) = (manager.maxConcurrentDownloads, manager.feed.now)
            try await test.transport.started.wait(until: { $0 >= running })
            time.advance(by: .milliseconds(50))
            rate.noteArrival(running * 10_000)
            for _ in 0..<running { manager.feed.pacer.answered(sent: sent, size: 10_000, in: manager.feed) }
        }
        #expect(manager.maxConcurrentDownloads == 64)
    }
}
