import Foundation
import Locking
import TestSupport
import Testing

@testable import Spate

/// One attempt after another at the same download.
@Suite struct SuccessionTests {
    @Test func aResumedDownloadStartsWhenTheAttemptBeforeHasClosedTheFile() async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        download.pause()
        download.resume()
        #expect(Standing(download.state) == .waitsForSlot)
        let operation = try #require(download.operation)
        test.manager.download(test.url("b"))
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(!operation.isExecuting && Standing(download.state) == .waitsForSlot)
        test.transport.letGo()
        try await test.transport.started.wait(until: { $0 == 3 })
        #expect(Standing(download.state) == .running && download.operation === operation)
    }

    @Test func aDownloadThatWaitsForItsOwnFileTakesNoSlot() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 2)
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        for _ in 0..<5 {
            download.pause()
            download.resume()
        }
        test.manager.download(test.url("b"))
        try await test.transport.started.wait(until: { $0 == 2 })
    }

    @Test func whatWasPausedAgainWhileItWaitedForItsFileDoesNoHarmWhenThatIsFree() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 40)
        let downloads = test.manager.download((0..<40).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 40 })
        var operations: [DownloadOperation] = []
        for download in downloads {
            for turn in 0..<6 {
                download.pause()
                download.resume()
                // Some are held by their user and must finish for him, others by nobody.
                if turn == 3, let operation = download.operation { operations.append(operation) }
            }
            download.pause()
        }
        // Operations that were cancelled pass the queue meanwhile, and are gone.
        test.manager.maxConcurrentDownloads = 80
        let other = test.manager.download(test.url("other"))
        try await test.transport.started.wait(until: { $0 == 41 })
        test.transport.letGo()
        try await eventually("every operation has finished") { operations.allSatisfy(\.isFinished) }
        other.cancel()
        try await eventually("no attempt is left") { test.manager.table.withLock { $0.holders.count == 0 } }
        #expect(downloads.allSatisfy { Standing($0.state) == .paused && $0.operation == nil })
        test.manager.resumeAll()
        try await test.transport.started.wait(until: { $0 == 81 })
    }

    @Test func pausesAndResumesFromEightThreadsEndInOneAttemptAtATime() async throws {
        let test = try SilentManager()
        test.transport.letGo()
        let downloads = test.manager.download((0..<3).map { test.url("\($0)") })
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 8) { thread in
                    var random = SeededRandom(seed: UInt64(thread))
                    for _ in 0..<200 {
                        let download = downloads[random.below(3)]
                        if Bool.random(using: &random) { download.pause() } else { download.resume() }
                    }
                }
                continuation.resume()
            }
        }
        test.manager.resumeAll()
        try await eventually("all of them run") { downloads.allSatisfy { Standing($0.state) == .running } }
        test.manager.cancelAll()
        try await eventually("no attempt is left") { test.manager.table.withLock { $0.holders.count == 0 } }
        #expect(downloads.allSatisfy { Standing($0.state) == .cancelled })
    }
}
