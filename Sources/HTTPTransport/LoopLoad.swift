import Synchronization

/// The work of one loop. Its thread counts the ends of transfers. The pool counts their starts, under its lock.
final class LoopLoad: Sendable {
    /// The running and reserved transfers.
    private let count = Atomic(0)
    /// The transfers that have received much.
    private let large = Atomic(0)
    private let sizes: RecentSizes

    /// Fewer small transfers than this count as no work.
    private static let smallOnes = 4
    /// The same if they share a connection. A second one takes another handshake, and few servers allow fewer.
    private static let sharingOnes = 64

    /// Counts a transfer before it starts, so that the next choice of a loop takes it into account.
    func reserve() { count.add(1, ordering: .relaxed) }

    init(sizes: RecentSizes) {
        self.sizes = sizes
    }

    func becameLarge() {
        large.add(1, ordering: .relaxed)
        expectLarge()
    }

    /// A response states a large body.
    func expectLarge() { sizes.noteLarge() }

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
    /// - Parameters:
    ///   - size: the size of body that the pool expects.
    ///   - isSharing: whether it should share a connection with the loop's other transfers.
    func pressure(on size: RecentSizes.Expectation, isSharing: Bool) -> Int {
        let count = count.load(ordering: .relaxed)
        guard size == .small, large.load(ordering: .relaxed) == 0 else { return count }
        return count / (isSharing ? Self.sharingOnes : Self.smallOnes)
    }
}
