import Dispatch
import Foundation
import Locking

/// Feeds the operation queue that runs the attempts.
///
/// The queue's `maxConcurrentOperationCount` limits how many run. Before it stands the line of downloads that wait: a few
/// words each, where an operation takes more than a kilobyte. The feed hands over as many as may run, the first in the
/// line first, and adds the next one before an operation announces its end: so no slot is idle in between.
///
/// An operation may come into the queue without the feed, because somebody asked for it or because the attempt before it
/// still holds the file. It counts from its start on. Until then it waits for its dependencies and holds no slot.
final class OperationFeed: Sendable {
    private struct State {
        var line = WaitingLine()
        /// Handed over, and not started yet.
        var handedOver: Set<AttemptID> = []
        /// Started, and not finished yet.
        var running = 0
        /// At most this many in the line no longer wait.
        var stale = 0
    }

    let queue = OperationQueue()
    // Serial, because the threads of a serial queue are not taken from Dispatch's shared pool, which the program may
    // block. The operation queue does not retain it.
    private let starts = DispatchQueue(label: "spate.starts")
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()
    private let state = Locked(State())

    /// With fewer stale entries than this the line is not searched for them.
    private static let leastStale = 64

    init(limit: Int) {
        starts.setSpecific(key: Self.owner, value: ObjectIdentifier(starts))
        queue.underlyingQueue = starts
        queue.maxConcurrentOperationCount = max(1, limit)
    }

    /// Whether the queue makes this call. `OperationQueue.current` would tell as well, at the price of two system calls.
    var isCalling: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(starts) }

    /// How many may run at once.
    var limit: Int {
        get { queue.maxConcurrentOperationCount }
        set {
            queue.maxConcurrentOperationCount = max(1, newValue)
            fill()
        }
    }

    func add(_ waiting: WaitingDownload) {
        // An attempt that still holds the file is on its way out. The operation depends on it, and others pass.
        if waiting.manager.table.withLock({ $0.holder(of: waiting.download) }) != nil {
            _ = waiting.download.operation(for: waiting.attempt, in: waiting.manager)
            return
        }
        state.withLock { $0.line.append(waiting) }
        fill()
    }

    /// The download no longer waits for this attempt: it was paused or cancelled.
    func withdraw(_ attempt: AttemptID) {
        let (wasHandedOver, stale) = state.withLock { state -> (Bool, [WaitingDownload]) in
            if state.handedOver.remove(attempt) != nil { return (true, []) }
            state.stale += 1
            guard state.stale >= Self.leastStale, state.stale * 2 > state.line.count else { return (false, []) }
            state.stale = 0
            return (false, state.line.removeStale())
        }
        withExtendedLifetime(stale) {}
        if wasHandedOver { fill() }
    }

    /// The queue has started this operation.
    func started(_ attempt: AttemptID) {
        state.withLock { state in
            state.handedOver.remove(attempt)
            state.running += 1
        }
    }

    /// An operation that was started is about to announce its end.
    func finished() {
        state.withLock { $0.running -= 1 }
        fill()
    }

    private func fill() {
        while let next = takeNext() {
            // It may be stale, or in the queue already because somebody asked for its operation.
            if next.download.operation(for: next.attempt, in: next.manager)?.isNew == true { continue }
            state.withLock { _ = $0.handedOver.remove(next.id) }
        }
    }

    private func takeNext() -> WaitingDownload? {
        let limit = limit
        return state.withLock { state in
            guard state.running + state.handedOver.count < limit, let next = state.line.popFirst() else { return nil }
            state.handedOver.insert(next.id)
            return next
        }
    }
}
