import Foundation
import TestSupport
import Testing

@testable import Spate

/// The operation in a real queue.
@Suite struct OperationQueueTests {
    private let workplace = Workplace()

    private func queue(_ cap: Int) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = cap
        return queue
    }

    @Test func whatDependsOnItBeginsAfterItsEndAndNotBefore() async throws {
        let queue = queue(4)
        let first = workplace.operation(.endsWhenCancelled)
        let seen = Recorder<Bool>()
        let dependent = BlockOperation { seen.append(first.isFinished) }
        dependent.addDependency(first)
        let other = Watched(false)
        queue.addOperation(first)
        queue.addOperation(dependent)
        queue.addOperation { other.update { $0 = true } }
        try await other.wait(until: { $0 })
        #expect(!dependent.isReady && seen.values.isEmpty)
        first.cancel()
        #expect(try await seen.wait(forCount: 1) == [true])
    }

    @Test func aChainRunsInItsOrderWhateverTheCap() async throws {
        let queue = queue(8)
        let order = Recorder<Int>()
        let chain = (0..<200).map { index in
            DownloadOperation(url: URL(fileURLWithPath: "/\(index)")) { operation in
                order.append(index)
                return ScriptedRun(.endsOnAnotherThread, at: Workplace(), of: operation)
            }
        }
        for (next, last) in zip(chain.dropFirst(), chain) {
            next.addDependency(last)
            #expect(!next.isReady)
        }
        for operation in chain.reversed() { queue.addOperation(operation) }
        #expect(try await order.wait(forCount: 200) == Array(0..<200))
        try await queue.drained()
    }

    @Test func theCapMayGrowAndShrinkWhileTheyRun() async throws {
        let queue = queue(2)
        let workplace = workplace
        var operations = (0..<30).map { _ in workplace.operation(.endsWhenCancelled) }
        for operation in operations { queue.addOperation(operation) }
        try await workplace.count.wait(until: { $0.present == 2 })
        queue.maxConcurrentOperationCount = 5
        try await workplace.count.wait(until: { $0.present == 5 })
        queue.maxConcurrentOperationCount = 1
        for present in (1...4).reversed() {
            operations.removeFirst().cancel()
            try await workplace.count.wait(until: { $0.present == present })
        }
        #expect(workplace.count.value.entered == 5)
        workplace.count.update { $0.most = $0.present }
        for turn in 6...20 {
            operations.removeFirst().cancel()
            try await workplace.count.wait(until: { $0.entered == turn })
        }
        queue.cancelAllOperations()
        try await queue.drained()
        #expect(workplace.count.value.most == 1 && workplace.count.value.present == 0)
    }

    @Test func onesCancelledInTheQueuePassItWithoutAnAttempt() async throws {
        let queue = queue(1)
        let workplace = workplace
        let first = workplace.operation(.endsWhenCancelled)
        let cancelled = (0..<100).map { _ in workplace.operation(.endsOnAnotherThread) }
        for operation in [first] + cancelled { queue.addOperation(operation) }
        try await workplace.count.wait(until: { $0.present == 1 })
        for operation in cancelled { operation.cancel() }
        #expect(cancelled.allSatisfy { !$0.isFinished })
        first.cancel()
        try await queue.drained()
        #expect(cancelled.allSatisfy(\.isFinished) && workplace.count.value.entered == 1)
    }
}

extension OperationQueue {
    /// Returns when nothing is left in it, within a time that only a fault exceeds.
    func drained(within limit: Duration = .seconds(60)) async throws {
        try await withDeadline(limit, for: "an idle queue") {
            await withCheckedContinuation { continuation in
                // A thread of its own: Dispatch has few, and the operations need them.
                Thread.detachNewThread {
                    self.waitUntilAllOperationsAreFinished()
                    continuation.resume()
                }
            }
        }
    }
}
