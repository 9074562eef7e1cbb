import Dispatch
import Foundation
import Locking

/// Gives attempts a place, so many at a time.
///
/// An `OperationQueue` would do so, too, at the price of an operation for each download that waits, and of a thread
/// woken up for each that starts. Here an operation is made when its turn comes, and the thread on which one attempt
/// ends begins the next: with small files nothing else is as dear as a change of threads.
final class DownloadQueue: Sendable {
    private struct State {
        var line = WaitingLine()
        /// Places that are taken: by an attempt, or by a thread that is about to begin one.
        var taken = 0
        var places: Int
        /// At most so many in the line are not wanted any more.
        var unwanted = 0
    }

    private let state: Locked<State>
    /// A thread that ends an attempt has others to serve: so many attempts that end at once it begins in a row.
    private static let longestRun = 8
    /// Below this it is not worth looking through the line for what nobody wants.
    private static let leastUnwanted = 64

    init(places: Int) {
        state = Locked(State(places: max(1, places)))
    }

    /// How many run at once.
    var places: Int {
        get { state.withLock { $0.places } }
        set {
            let starts = state.withLock { state in
                state.places = max(1, newValue)
                let starts = max(0, min(state.places - state.taken, state.line.count))
                state.taken += starts
                return starts
            }
            for _ in 0..<starts { beginElsewhere() }
        }
    }

    /// Puts an attempt at the end of the line. It begins on another thread.
    func add(_ entry: QueuedAttempt) {
        let starts = state.withLock { state in
            state.line.append(entry)
            guard state.taken < state.places else { return false }
            state.taken += 1
            return true
        }
        if starts { beginElsewhere() }
    }

    /// One that may be in the line is not wanted any more. When these are the larger part of it, they are let go of.
    func noteUnwanted() {
        let unwanted = state.withLock { state -> [QueuedAttempt] in
            state.unwanted += 1
            guard state.unwanted >= Self.leastUnwanted, state.unwanted * 2 > state.line.count else { return [] }
            state.unwanted = 0
            return state.line.removeUnwanted()
        }
        // Gone here, outside of the lock.
        withExtendedLifetime(unwanted) {}
    }

    private func beginElsewhere() {
        DispatchQueue.global().async { [self] in beginNext() }
    }

    /// Gives the place that the caller holds to the next in the line, or back.
    private func beginNext() {
        for _ in 0..<Self.longestRun {
            guard let next = takeNext() else { return }
            if begin(next) { return }
        }
        beginElsewhere()
    }

    private func takeNext() -> QueuedAttempt? {
        state.withLock { state in
            if state.taken <= state.places, let next = state.line.popFirst() { return next }
            state.taken -= 1
            return nil
        }
    }

    /// Whether the attempt has taken the place; otherwise that is free again.
    private func begin(_ entry: QueuedAttempt) -> Bool {
        guard let operation = entry.operation else { return false }
        guard operation.isReady else {
            wait(for: operation.dependencies, then: entry)
            return false
        }
        return operation.run { [self] in beginNext() }
    }

    /// Somebody has made an operation depend on others: it comes back when these have finished.
    private func wait(for dependencies: [Operation], then entry: QueuedAttempt) {
        let gate = BlockOperation { [self] in add(entry) }
        for dependency in dependencies { gate.addDependency(dependency) }
        Self.gates.addOperation(gate)
    }

    private static let gates = OperationQueue()
}
