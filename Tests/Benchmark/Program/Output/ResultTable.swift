/// A scenario's figures as lines of text.
struct ResultTable {
    let lines: [String]

    init(_ result: ScenarioResult) {
        var lines = ["\(result.name): \(result.work)"]
        if !result.runs.isEmpty { lines += Self.columns(Self.rows(of: result)) }
        if !result.queueRuns.isEmpty { lines += Self.columns(Self.queueRows(of: result)) }
        lines += (result.notes + result.failures).map { "  \($0)" }
        self.lines = lines
    }

    /// Sets rows in columns: the first to the left, the others to the right.
    private static func columns(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + space : space + cell.0
            }
            return "  " + cells.joined(separator: "   ")
        }
    }

    private static func rows(of result: ScenarioResult) -> [[String]] {
        let comparison = Comparison(result)
        let peer = comparison.reference
        let showsSwitches = result.hasSmallFiles && comparison.rows.contains { $0.switchesPerFile != nil }
        let isServedCounted = comparison.rows.contains { $0.servedRatio != nil }
        var heading = ["", "wall", "least", "most", "processor", "memory"]
        if showsSwitches { heading.append("switches/file") }
        if let peer { heading += ["wall/\(peer)", "(least–most)", "processor/\(peer)"] }
        if isServedCounted { heading.append("fetched/size") }
        let rows = comparison.rows.map { row in
            var cells = [row.program]
            cells += [row.wallText] + [row.wall.least, row.wall.most, row.processor].map(QuantityText.seconds)
            cells.append(QuantityText.bytes(Int(row.peakBytes)))
            if showsSwitches { cells.append(row.switchesPerFile.map(QuantityText.ratio) ?? "-") }
            if peer != nil {
                let ratio = row.wallRatio
                cells.append(ratio.map { QuantityText.ratio($0.median) } ?? "-")
                cells.append(
                    ratio.map { "(\(QuantityText.ratio($0.least))–\(QuantityText.ratio($0.most)))" } ?? "-"
                )
                cells.append(row.processorRatio.map(QuantityText.ratio) ?? "-")
            }
            if isServedCounted { cells.append(row.servedRatio.map(QuantityText.fineRatio) ?? "-") }
            return cells
        }
        return [heading] + rows
    }

    private static func queueRows(of result: ScenarioResult) -> [[String]] {
        [["downloads", "enqueue", "each", "memory each", "cancel all", "each"]]
            + QueueSummary.all(of: result).map { summary in
                [
                    QuantityText.count(summary.count),
                    QuantityText.seconds(summary.enqueueSeconds),
                    Self.microseconds(summary.enqueueSeconds, for: summary.count),
                    QuantityText.bytes(Int(summary.bytesEach)),
                    QuantityText.seconds(summary.cancelSeconds),
                    Self.microseconds(summary.cancelSeconds, for: summary.count),
                ]
            }
    }

    static func microseconds(_ seconds: Double, for count: Int) -> String {
        let tenths = (seconds / Double(max(1, count)) * 1e7).rounded()
        return "\(tenths / 10) µs"
    }
}
