import Dispatch
import Foundation
import Spate

/// Whole downloads as operations in a queue of the user's, which depend on each other.
final class FetchQueue {
    private struct Weak {
        weak var operation: FetchOperation?
    }

    private let queue = OperationQueue()
    // The operation queue does not retain it. Drained with the queue that starts downloads.
    private let starts = DispatchQueue(label: "world.operations", target: .main)
    /// In their order: one may depend on those before it, so never in a circle.
    private var operations: [Weak] = []

    init() {
        queue.underlyingQueue = starts
        queue.maxConcurrentOperationCount = 2
    }

    var isEmpty: Bool { queue.operationCount == 0 }

    /// Returns the previously added operation, if it still exists.
    func add(_ operation: FetchOperation) -> FetchOperation? {
        let former = operations.last?.operation
        operations.append(Weak(operation: operation))
        queue.addOperation(operation)
        return former
    }

    /// Two that are still there, the earlier one first.
    func pair(_ timeline: Timeline) -> (first: FetchOperation, second: FetchOperation)? {
        operations.removeAll { $0.operation == nil }
        guard operations.count > 1 else { return nil }
        let second = timeline.number(in: 1..<operations.count)
        guard let one = operations[timeline.number(in: 0..<second)].operation,
            let other = operations[second].operation
        else { return nil }
        return (one, other)
    }
}

extension World {
    /// Fetches a URL by an operation, which may depend on an earlier one, then or later, and may be cancelled before its
    /// turn, or in the moment in which it comes to depend on another.
    func fetch(_ request: DownloadRequest, by manager: DownloadManager, of session: Session) {
        let fetch = FetchOperation(request, manager: manager)
        let former = session.fetches.add(fetch)
        if let former, timeline.onceIn(2) {
            // Its turn comes in the same moment.
            timeline.after(.zero, in: session.process) { [self] in make(fetch, dependOn: former, in: session) }
            if timeline.onceIn(2) { timeline.after(.zero, in: session.process) { fetch.cancel() } }
        }
        for _ in 0..<2 {
            later(in: session) { [self] in
                guard let (first, second) = session.fetches.pair(timeline) else { return }
                if timeline.onceIn(4) {
                    timeline.after(.zero, in: session.process) { [weak second] in second?.cancel() }
                }
                timeline.after(.zero, in: session.process) { [self, weak first, weak second] in
                    if let first, let second { make(second, dependOn: first, in: session) }
                }
            }
        }
        later(in: session) { [weak fetch] in fetch?.cancel() }
    }

    /// Does nothing once the operation has begun. Now and then it need not wait after all.
    func make(_ operation: Operation, dependOn other: Operation, in session: Session) {
        dependentOperations.append(operation)
        operation.addDependency(other)
        if timeline.onceIn(2) {
            later(in: session) { [weak operation, weak other] in
                if let operation, let other { operation.removeDependency(other) }
            }
        }
    }

    /// One that is over depends on nothing: it may be gone when what it depended on ends, and is told.
    func checkDependencies() {
        dependentOperations.removeAll { operation in
            guard operation.isFinished else { return false }
            if !operation.dependencies.isEmpty { fail("an operation that is over depends on another") }
            return true
        }
    }

    /// Now and then, soon.
    private func later(in session: Session, _ body: @escaping () -> Void) {
        let delay = timeline.time(upTo: .milliseconds(timeline.pick([1, 20, 2_000])))
        if timeline.onceIn(2) { timeline.after(delay, in: session.process, body) }
    }
}
