import Synchronization

/// Whether the transport's latest bodies were small. Several small transfers share a loop, which then wakes up less
/// often. Each large transfer wants its own loop, because a loop uses one core.
final class RecentSizes: Sendable {
    /// A body of this many bytes is large.
    static let large = 1 << 20
    /// After this many small bodies in a row, expect small ones.
    private static let enough = 8

    // Before the first transfer ends, expect small bodies if many requests wait.
    private let smallInARow = Atomic(RecentSizes.enough - 1)

    func noteLarge() { smallInARow.store(0, ordering: .relaxed) }

    func noteSmall() {
        if smallInARow.load(ordering: .relaxed) < Self.enough { smallInARow.add(1, ordering: .relaxed) }
    }

    /// Whether to expect a small file for this request.
    func expectSmall(_ request: TransportRequest) -> Bool {
        if request.hasOwnConnection { return false }
        return smallInARow.load(ordering: .relaxed) + (request.isOneOfMany ? 1 : 0) >= Self.enough
    }
}
