import Foundation
import Synchronization

/// The operations that an operation of ours waits for.
///
/// Foundation's own list is not used. On Linux an operation waits forever for a dependency that was removed before its
/// end, and each dependency keeps an unretained reference to its dependents. Here an ``OperationEnd`` stands between the
/// two, and the dependent overrides `isReady`, `dependencies`, `addDependency` and `removeDependency`.
///
/// Used under the dependent's lock. The ends that it returns are begun and stopped without it: Foundation asks other
/// operations, perhaps the user's, if they are ready.
struct Dependencies {
    private var ends: [OperationEnd] = []

    var operations: [Operation] { ends.map(\.operation) }
    var haveEnded: Bool { ends.allSatisfy(\.hasCome) }

    /// The caller must begin what is returned; `nil` if the operation was added before.
    ///
    /// - Parameter notify: called at its end.
    mutating func add(_ operation: Operation, _ notify: @escaping @Sendable () -> Void) -> OperationEnd? {
        if ends.contains(where: { $0.operation === operation }) { return nil }
        let end = OperationEnd(of: operation, notify)
        ends.append(end)
        return end
    }

    /// The caller must stop what is returned; `nil` if there is no such operation.
    mutating func remove(_ operation: Operation) -> OperationEnd? {
        ends.firstIndex { $0.operation === operation }.map { ends.remove(at: $0) }
    }

    /// The caller must stop all that are returned.
    mutating func removeAll() -> [OperationEnd] {
        defer { ends = [] }
        return ends
    }
}

/// Notices when an operation ends.
///
/// The operation has an unretained reference to this object from `begin` until its end or `stop`.
final class OperationEnd: Operation, @unchecked Sendable {
    // Unchecked because Operation is not checked itself. Everything added here is constant or atomic.

    private enum Phase: UInt8, AtomicRepresentable {
        case beginning, waiting, over, stopped
    }

    let operation: Operation
    private let notify: @Sendable () -> Void
    private let phase = Atomic(Phase.beginning)

    init(of operation: Operation, _ notify: @escaping @Sendable () -> Void) {
        (self.operation, self.notify) = (operation, notify)
    }

    /// Whether the operation has ended.
    var hasCome: Bool { phase.load(ordering: .acquiring) == .over }

    func begin() {
        super.addDependency(operation)
        // Foundation adds it in two steps, between which it must not be removed.
        if !move(from: .beginning, to: .waiting), !hasCome { super.removeDependency(operation) }
    }

    /// From now on nobody is notified.
    func stop() {
        if phase.exchange(.stopped, ordering: .acquiringAndReleasing) == .waiting { super.removeDependency(operation) }
    }

    /// Foundation asks after adding the dependency, and when that ends. There is no other notification.
    override var isReady: Bool {
        let isReady = super.isReady
        if isReady, move(from: .beginning, to: .over) || move(from: .waiting, to: .over) { notify() }
        return isReady
    }

    private func move(from former: Phase, to next: Phase) -> Bool {
        phase.compareExchange(expected: former, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
}

extension Operation {
    /// Call this when the answer of `isReady` may be another than before, and after adding an operation with
    /// dependencies to a queue. No lock that `isReady` takes may be held.
    ///
    /// Foundation on Linux asks whether the operation is ready, and stores the answer in a second step. If its last
    /// dependency ends in between, the old answer stays, and the queue never starts the operation. So a refusal is
    /// followed by a second question.
    func noteReadiness() {
        didChangeValue(forKey: "isReady")
        if isReady { didChangeValue(forKey: "isReady") }
    }
}
