import Synchronization

/// The transfers to one origin, and the connections that they have probably left, loop by loop: no loop can use those of
/// another.
///
/// The pool counts their starts, under its lock. The loops' threads count their ends.
final class OriginConnections: Sendable {
    static let mostLoops = 8

    private let transfers = InlineArray<8, Atomic<Int>> { _ in Atomic(0) }
    /// The highest count so far, without those that have failed since.
    private let connections = InlineArray<8, Atomic<Int>> { _ in Atomic(0) }

    /// Counts a transfer before it starts, so that the next choice of a loop takes it into account.
    func reserve(on loop: Int) {
        let new = transfers[loop].add(1, ordering: .relaxed).newValue
        if new > connections[loop].load(ordering: .relaxed) { connections[loop].store(new, ordering: .relaxed) }
    }

    func ended(on loop: Int, isComplete: Bool) {
        // Its connection was never made, or is closed.
        if !isComplete { connections[loop].subtract(1, ordering: .relaxed) }
        transfers[loop].subtract(1, ordering: .relaxed)
    }

    /// Whether the loop has any connections.
    func areThere(on loop: Int) -> Bool { connections[loop].load(ordering: .relaxed) > 0 }

    /// Whether the loop has more of them than transfers, so that one is probably idle.
    func isOneFree(on loop: Int) -> Bool {
        transfers[loop].load(ordering: .relaxed) < connections[loop].load(ordering: .relaxed)
    }
}

/// Where a transfer is reserved.
struct LoopPlace: Sendable {
    /// The number of the loop.
    let loop: Int
    let connections: OriginConnections

    /// The transfer has ended.
    func leave(isComplete: Bool) { connections.ended(on: loop, isComplete: isComplete) }
}
