import Synchronization

/// What a loop has to do. Its thread counts, and those who choose a loop, who do so one at a time.
final class LoopLoad: Sendable {
    /// The transfers that run here or are about to.
    private let count = Atomic(0)
    /// The most of them at once.
    private let most = Atomic(0)
    /// Those of them that have received much.
    private let large = Atomic(0)
    private let sizes: RecentSizes

    /// So many small transfers are no more work for a loop than none.
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

    /// How busy the loop is for a transfer that comes.
    ///
    /// - Parameter isSmall: whether that is taken to be a small one.
    func pressure(onSmall isSmall: Bool) -> Int {
        let count = count.load(ordering: .relaxed)
        return isSmall && large.load(ordering: .relaxed) == 0 ? count / Self.smallOnes : count
    }

    /// Whether it has had more transfers at once than now, so that some connection is probably open and free.
    var hasFreeConnection: Bool { count.load(ordering: .relaxed) < most.load(ordering: .relaxed) }
}
