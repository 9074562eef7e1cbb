import Spate

/// The first line of `spate status` on a terminal: `62 finished, 8 partial, 130 waiting, 3 failed; 3.2 GB of 9 GB`.
struct StatusSummary {
    private var counts: [StatusRow.State: Int] = [:]
    private var received: Int64 = 0
    /// The sizes that are known, and what is there of the others.
    private var total: Int64 = 0
    /// Whether the size of a file is unknown.
    private var isUnsure = false

    func count(of state: StatusRow.State) -> Int { counts[state] ?? 0 }

    mutating func add(_ row: StatusRow) {
        counts[row.state, default: 0] += 1
        // Sizes in attributes and queue files may be anything.
        received = received.addingWithoutOverflow(max(0, row.received))
        total = total.addingWithoutOverflow(max(0, row.received, row.total ?? 0))
        if row.total == nil, row.state != .finished { isUnsure = true }
    }

    var text: String {
        let states = StatusRow.State.allCases.filter { count(of: $0) > 0 }.map { "\(count(of: $0)) \($0.rawValue)" }
        return states.joined(separator: ", ") + (amount.map { "; \($0)" } ?? "")
    }

    /// `nil` if nothing is there, and nothing is known.
    private var amount: String? {
        let there = DownloadFormat.size(received)
        if total > received { return "\(there) of \(isUnsure ? "at least " : "")\(DownloadFormat.size(total))" }
        guard isUnsure else { return there }
        return received > 0 ? "\(there) so far" : nil
    }
}

extension Int64 {
    fileprivate func addingWithoutOverflow(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
