import Foundation
import Locking
import TestSupport
import Testing

@testable import Spate

@Suite struct DownloadOperationTests {
    /// "r" for ready, "e" for executing, "f" for finished, "c" for cancelled.
    private func flags(_ operation: Operation) -> String {
        [
            operation.isReady ? "r" : "", operation.isExecuting ? "e" : "", operation.isFinished ? "f" : "",
            operation.isCancelled ? "c" : "",
        ].joined()
    }

    private func manager() throws -> SilentManager {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        return test
    }

    @Test func itIsReadyThenExecutingThenFinished() async throws {
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(test.url("f"))
        let operation = try #require(download.operation)
        #expect(operation.isAsynchronous && operation.url == download.url)
        #expect(flags(operation) == "r")
        test.manager.feed.queue.isSuspended = false
        try await test.transport.started.wait(until: { $0 == 1 })
        #expect(flags(operation) == "re")
        download.pause()
        try await eventually("it finishes") { operation.isFinished }
        #expect(flags(operation) == "rfc")
    }

    @Test func aDependencyThatComesWhenItsTurnHasComeLeavesTheSlotToTheNext() async throws {
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let downloads = test.manager.download([test.url("a"), test.url("b")])
        let operation = try #require(downloads[0].operation)
        let other = BlockOperation()
        operation.addDependency(other)
        test.manager.feed.queue.isSuspended = false
        try await test.transport.started.wait(until: { $0 == 1 })
        #expect(downloads.map { Standing($0.state) } == [.waitsForSlot, .running])
        other.start()
        downloads[1].pause()
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(downloads.map { Standing($0.state) } == [.running, .paused])
        #expect(test.manager.holdings.slots == 1)
    }

    @Test func cancelledBeforeItsStartItFinishesWithoutAnAttempt() async throws {
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(test.url("f"))
        let operation = try #require(download.operation)
        operation.cancel()
        #expect(flags(operation) == "rc" && Standing(download.state) == .cancelled)
        test.manager.feed.queue.isSuspended = false
        try await eventually("it finishes") { operation.isFinished }
        #expect(flags(operation) == "rfc" && test.transport.started.value == 0)
    }

    @Test func cancelledWhileExecutingItFinishesWhenItsTransferEnds() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        let download = test.manager.download(test.url("f"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let operation = try #require(download.operation)
        operation.cancel()
        #expect(flags(operation) == "rec" && Standing(download.state) == .cancelled)
        test.transport.letGo()
        try await eventually("it finishes") { operation.isFinished }
    }

    @Test func onlyItsQueueStartsItAndOnlyOnce() async throws {
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(test.url("f"))
        let operation = try #require(download.operation)
        operation.start()
        #expect(flags(operation) == "r")
        test.manager.feed.queue.isSuspended = false
        try await test.transport.started.wait(until: { $0 == 1 })
        operation.start()
        download.cancel()
        try await eventually("it finishes") { operation.isFinished }
        operation.start()
        #expect(test.transport.started.value == 1 && flags(operation) == "rfc")
    }

    @Test func whatDependsOnItComesAfterItsEndAndWhoWaitsForThatIsWoken() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        let download = test.manager.download(test.url("f"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let operation = try #require(download.operation)
        let seen = Recorder<Bool>()
        let dependent = BlockOperation { seen.append(operation.isFinished) }
        dependent.addDependency(operation)
        let queue = OperationQueue()
        queue.addOperation(dependent)
        let isOver = Watched(false)
        Thread.detachNewThread {
            operation.waitUntilFinished()
            isOver.update { $0 = true }
        }
        #expect(!dependent.isReady && !isOver.value)
        download.cancel()
        #expect(seen.values.isEmpty)
        test.transport.letGo()
        #expect(try await seen.wait(forCount: 1) == [true])
        try await isOver.wait(for: "the waiting thread", until: { $0 })
    }

    @Test func aDependencyHoldsBackItsStartAndComesTooLateAfterThat() async throws {
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(test.url("f"))
        let operation = try #require(download.operation)
        let (first, late) = (BlockOperation {}, BlockOperation {})
        operation.addDependency(first)
        #expect(operation.dependencies == [first] && flags(operation).isEmpty)
        test.manager.feed.queue.isSuspended = false
        first.start()
        try await test.transport.started.wait(until: { $0 == 1 })
        operation.addDependency(late)
        #expect(operation.dependencies == [first] && flags(operation) == "re")
        download.cancel()
        try await eventually("it lets go of what it depended on") { operation.dependencies.isEmpty }
        operation.addDependency(late)
        #expect(operation.dependencies.isEmpty && operation.isFinished)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func thousandsThatArePausedResumedAndCancelledAtAnyTimeLeaveNothingBehind(seed: UInt64) async throws {
        let cap = 5
        let test = try SilentManager(maxConcurrentDownloads: cap)
        test.transport.letGo()
        let operations = Watched<[WeakOperation]>([])
        let downloads = test.manager.download((0..<2_000).map { test.url("\($0)") })
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    var random = SeededRandom(seed: seed &+ UInt64(thread) &* 1_000)
                    for _ in 0..<5_000 {
                        let download = downloads[random.below(downloads.count)]
                        switch random.below(8) {
                        case 0, 1: download.pause()
                        case 2, 3: download.resume()
                        case 4: download.cancel()
                        case 5: download.operation?.cancel()
                        case 6:
                            guard let operation = download.operation else { continue }
                            operations.update { $0.append(WeakOperation(operation: operation)) }
                        default: test.manager.maxConcurrentDownloads = 1 + random.below(cap)
                        }
                    }
                }
                continuation.resume()
            }
        }
        test.manager.maxConcurrentDownloads = cap
        test.manager.cancelAll()
        try await eventually("no attempt is left") { test.manager.table.withLock { $0.isEmpty } }
        try await eventually("the queue is empty") { test.manager.feed.queue.operationCount == 0 }
        try await eventually("all operations are gone") { operations.value.allSatisfy { $0.operation == nil } }
        #expect(downloads.allSatisfy { Standing($0.state) == .cancelled && $0.operation == nil })
        // The slots are all there.
        let more = test.manager.download((0..<cap).map { test.url("more\($0)") })
        try await eventually("they run") { more.allSatisfy { Standing($0.state) == .running } }
    }
}

private struct WeakOperation: Sendable {
    weak var operation: DownloadOperation?
}
