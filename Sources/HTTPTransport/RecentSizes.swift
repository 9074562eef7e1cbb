import Synchronization

/// Whether the bodies that a transport received last were small. Several such transfers share a loop, which wakes up less
/// often than one loop for each. Large ones want a loop each, because a loop is one core.
final class RecentSizes: Sendable {
    /// A body that has come to this is large.
    static let large = 1 << 20
    /// After so many small ones in a row the next are taken to be small.
    private static let enough = 8

    // Before the first end, the next are taken to be small if many of them wait.
    private let smallInARow = Atomic(RecentSizes.enough - 1)

    func noteLarge() { smallInARow.store(0, ordering: .relaxed) }

    func noteSmall() {
        if smallInARow.load(ordering: .relaxed) < Self.enough { smallInARow.add(1, ordering: .relaxed) }
    }

    /// Whether this request is taken to be for a small file.
    func expectSmall(_ request: TransportRequest) -> Bool {
        if request.hasOwnConnection { return false }
        return smallInARow.load(ordering: .relaxed) + (request.isOneOfMany ? 1 : 0) >= Self.enough
    }
}
