import SpateHTTPResumption
import SpateSplitting

/// How many requests an attempt may send: a base number, one for each gap, and more for its progress. Otherwise, a server that sends
/// little for each request would be asked endlessly. Redirects have their own limit and do not count.
struct RequestBudget {
    private static let least = 16
    private static let bytesPerRequest: Int64 = 256 << 10

    /// For the connections, and the gaps that the file has.
    private let expected: Int
    /// The number of bytes before the attempt, except dropped ones.
    private var found: Int64
    private var sent = 0

    /// - Parameter found: what the file has.
    init(_ connections: ConnectionCount, found: FilledRanges) {
        let connections =
            switch connections {
            case .automatic: SegmentPlan.mostAutomatic
            case .exactly(let count): min(max(1, count), SegmentPlan.mostGaps)
            }
        expected = connections + max(0, found.ranges.count - 1)
        self.found = found.count
    }

    /// How many more requests are allowed.
    ///
    /// - Parameter filled: the number of filled bytes.
    mutating func left(filled: Int64) -> Int {
        found = min(found, filled)
        return max(0, Self.least + expected + Int(clamping: (filled - found) / Self.bytesPerRequest) - sent)
    }

    /// A request is sent; false if the budget is used up.
    mutating func take(filled: Int64) -> Bool {
        if left(filled: filled) == 0 { return false }
        sent += 1
        return true
    }
}
