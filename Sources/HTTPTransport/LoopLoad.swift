import Synchronization

/// The work of one loop. Its thread counts the ends of transfers. The pool counts their starts, under its lock.
final class LoopLoad: Sendable {
    /// The running and reserved transfers.
    private let count = Atomic(0)
    /// The highest count so far.
    private let most = Atomic(0)
    /// The transfers that have received much.
    private let large = Atomic(0)
    private let sizes: RecentSizes

    /// Fewer small transfers than this count as no work.
    private static let smallOnes = 4

    /// Counts a transfer before it starts, so that the next choice of a loop takes it into account.
    func reserve() {
        let new = count.add(1, ordering: .relaxed).newValue
        if new > most.load(ordering: .relaxed) { most.store(new, ordering: .relaxed) }
    }

    init(sizes: RecentSizes) {
        self.sizes = sizes
    }

    func becameLarge() {
        large.add(1, ordering: .relaxed)
        sizes.noteLarge()
    }

    func ended(isLarge: Bool, isComplete: Bool) {
        if isLarge {
            large.subtract(1, ordering: .relaxed)
        } else if isComplete {
            sizes.noteSmall()
        }
        count.subtract(1, ordering: .relaxed)
    }

    /// How busy the loop is for the next transfer.
    ///
    /// - Parameter isSmall: whether the pool expects a small body.
    func pressure(onSmall isSmall: Bool) -> Int {
        let count = count.load(ordering: .relaxed)
        return isSmall && large.load(ordering: .relaxed) == 0 ? count / Self.smallOnes : count
    }

    /// Whether the loop once had more transfers than now, so that it probably has an idle connection.
    var hasFreeConnection: Bool { count.load(ordering: .relaxed) < most.load(ordering: .relaxed) }
}
