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
