/// The figures of a scenario's programs against each other.
struct Comparison {
    struct Row {
        let program: String
        let wall: Spread
        let processor: Double
        let peakBytes: Double
        let switchesPerFile: Double?
        /// Own wall time over that of the program that it is compared with, in each round.
        let wallRatio: Spread?
        let processorRatio: Double?
        /// What the server sent over the size of the files.
        let servedRatio: Double?
        /// What most of its runs lacked, or one run in which files were not there.
        let shortfall: ScenarioResult.Shortfall?
    }

    /// A median with what lies farthest from it.
    struct Spread: Equatable {
        let least: Double
        let median: Double
        let most: Double

        init?(_ values: [Double]) {
            guard let least = values.min(), let most = values.max(), let median = values.median else { return nil }
            (self.least, self.median, self.most) = (least, median, most)
        }
    }

    /// In the order in which they ran.
    let rows: [Row]
    /// Of all but our own that fetched everything, the one with the least median wall time.
    let bestPeer: String?
    /// The same of our own with a fixed number of downloads at once.
    let bestFixed: String?
    /// What the figures are compared with: one of these two, as the scenario is there to show.
    let reference: String?

    init(_ result: ScenarioResult) {
        let names = result.programs
        let runs = Dictionary(grouping: result.runs, by: \.program)
        func best(_ isMeant: (String) -> Bool) -> String? {
            let whole = names.filter { isMeant($0) && Self.shortfall(of: runs[$0] ?? []) == nil }
            let walls = { (name: String) in (runs[name] ?? []).map(\.cost.wallSeconds).median ?? .infinity }
            return whole.min { walls($0) < walls($1) }
        }
        bestPeer = best { !Entry.isOurs($0) }
        bestFixed = best(Entry.isFixed)
        reference = result.measure == .server ? bestFixed : bestPeer
        let reference = Dictionary((runs[self.reference ?? ""] ?? []).map { ($0.round, $0.cost) }) { first, _ in first }

        rows = names.compactMap { name in
            let own = runs[name] ?? []
            guard let wall = Spread(own.map(\.cost.wallSeconds)),
                let processor = own.map(\.cost.processorSeconds).median,
                let peak = own.map({ Double($0.cost.peakBytes) }).median
            else { return nil }
            let pairs = own.compactMap { run in reference[run.round].map { (run.cost, $0) } }
            return Row(
                program: name,
                wall: wall,
                processor: processor,
                peakBytes: peak,
                switchesPerFile: own.compactMap(result.switchesPerFile).median,
                wallRatio: Spread(pairs.map { $0.wallSeconds / $1.wallSeconds }),
                processorRatio: pairs.map { $0.processorSeconds / $1.processorSeconds }.median,
                servedRatio: own.compactMap(result.servedRatio).median,
                shortfall: Self.shortfall(of: own)
            )
        }
    }

    private static func shortfall(of runs: [ScenarioResult.Run]) -> ScenarioResult.Shortfall? {
        let shortfalls = runs.compactMap(\.shortfall)
        if shortfalls.contains(.incomplete) { return .incomplete }
        return shortfalls.count * 2 > runs.count ? .overLimit : nil
    }
}

extension Comparison.Row {
    /// The wall time, or what is known of it: `7.31 s`, `> 20 s`, `incomplete`.
    var wallText: String {
        switch shortfall {
        case nil: QuantityText.seconds(wall.median)
        case .overLimit: "> \(Int(wall.median.rounded())) s"
        case .incomplete: "incomplete"
        }
    }
}

extension Sequence<Double> {
    /// The middle value, or the mean of the two middle ones; `nil` of none.
    var median: Double? {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// The medians of a queue's runs of one length.
struct QueueSummary {
    let count: Int
    let enqueueSeconds: Double
    let bytesEach: Double
    let cancelSeconds: Double

    /// Shortest queue first.
    static func all(of result: ScenarioResult) -> [QueueSummary] {
        let runs = Dictionary(grouping: result.queueRuns.map(\.cost), by: \.count)
        return runs.sorted { $0.key < $1.key }.compactMap { count, costs in
            guard let enqueueing = costs.map(\.enqueueSeconds).median, let bytes = costs.map(\.bytesEach).median,
                let cancelling = costs.map(\.cancelSeconds).median
            else { return nil }
            return QueueSummary(
                count: count,
                enqueueSeconds: enqueueing,
                bytesEach: bytes,
                cancelSeconds: cancelling
            )
        }
    }
}
