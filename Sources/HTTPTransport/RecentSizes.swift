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

    /// Whether the latest bodies were small, and not only expected to be.
    var haveBeenSmall: Bool { smallInARow.load(ordering: .relaxed) >= Self.enough }

    enum Expectation {
        case small, large, unknown
    }

    /// The size to expect of the response to this request.
    func expected(_ request: TransportRequest) -> Expectation {
        if request.hasOwnConnection { return .large }
        let count = smallInARow.load(ordering: .relaxed)
        if count + (request.isOneOfMany ? 1 : 0) >= Self.enough { return .small }
        return count < Self.enough - 1 ? .large : .unknown
    }
}
