import Foundation
import TestSupport
import Testing

@testable import Spate

@Suite struct OperationStressTests {
    private struct WeakOperation {
        weak var operation: DownloadOperation?
    }

    private static let cap = 5

    @Test(arguments: [1, 2] as [UInt64])
    func tenThousandThatEndAndAreCancelledAtAnyTimeLeaveNothingBehind(seed: UInt64) async throws {
        let workplace = Workplace()
        let remains = try await Self.run(10_000, at: workplace, seed: seed)
        let count = workplace.count.value
        #expect(count.present == 0 && count.most <= Self.cap && count.most > 1, "\(count)")
        // Some were cancelled before their turn, most were not.
        #expect(count.entered > 5_000 && count.entered < 10_000)
        try await eventually("all operations are gone") { remains.allSatisfy { $0.operation == nil } }
    }

    /// Sends operations through a queue, while other threads cancel some before, in and after their time.
    private static func run(_ count: Int, at workplace: Workplace, seed: UInt64) async throws -> [WeakOperation] {
        var random = SeededRandom(seed: seed)
        let scripts = (0..<count).map { _ in Script.allCases[random.below(Script.allCases.count)] }
        let operations = scripts.map { workplace.operation($0) }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = cap
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let threads = 4
                DispatchQueue.concurrentPerform(iterations: threads) { thread in
                    var random = SeededRandom(seed: seed &+ UInt64(thread) &* 1_000)
                    for index in stride(from: thread, to: count, by: threads) {
                        if random.below(8) == 0 { operations[index].finish() }
                        if random.below(8) == 0 { operations[index].cancel() }
                        queue.addOperation(operations[index])
                        if random.below(4) == 0 { operations[random.below(count)].cancel() }
                        // Those that wait for it must be cancelled, be it before, while or after they are begun.
                        if scripts[index] == .endsWhenCancelled { operations[index].cancel() }
                        if random.below(100) == 0 { queue.maxConcurrentOperationCount = 1 + random.below(cap) }
                    }
                }
                continuation.resume()
            }
        }
        // Where a busy machine gets to most of them only now, the last change may have left room for one at a time.
        queue.maxConcurrentOperationCount = cap
        try await queue.drained()
        #expect(operations.allSatisfy { $0.isFinished && !$0.isExecuting })
        #expect(queue.operationCount == 0)
        return operations.map { WeakOperation(operation: $0) }
    }
}
