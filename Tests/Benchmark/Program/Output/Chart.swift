/// Bars in groups, one group for each scenario.
struct Chart: Equatable {
    struct Bar: Equatable {
        let label: String
        let value: Double
        let text: String
        let isOurs: Bool
    }

    struct Group: Equatable {
        let title: String
        /// What the bars measure; less is better in all of them.
        let measure: String
        let bars: [Bar]
    }

    let groups: [Group]
    /// What the figures are worth: machine, date, versions.
    let footnotes: [String]

    init(groups: [Group], footnotes: [String]) {
        self.groups = groups
        self.footnotes = footnotes
    }

    init(_ report: BenchmarkReport) {
        groups = report.scenarios.map(Self.group).filter { !$0.bars.isEmpty }
        let versions = report.versions.sorted { $0.key < $1.key }
            .filter { $0.key != Contestant.baseline.rawValue }
            .map { name, text in "\(name) \(Self.number(in: text))" }
        footnotes = [
            "Medians of \(report.rounds) rounds, \(report.date.prefix(10)); shorter is better in all.",
            report.machine.description,
            versions.joined(separator: ", "),
        ]
    }

    private static func group(_ result: ScenarioResult) -> Group {
        let rows = Comparison(result).rows
        switch result.measure {
        case .wall:
            return group(result, "wall time", rows.map { ($0.program, $0.wall.median) }, QuantityText.seconds)
        case .memory:
            let values = rows.map { ($0.program, $0.peakBytes) }
            return group(result, "peak memory", values) { QuantityText.bytes(Int($0)) }
        case .fetched:
            let values = rows.compactMap { row in row.servedRatio.map { (row.program, $0) } }
            return group(result, "bytes fetched over the size", values, QuantityText.fineRatio)
        case .queue:
            let bars = QueueSummary.all(of: result).map { summary in
                let seconds = (summary.enqueueSeconds + summary.cancelSeconds) / Double(summary.count)
                return Bar(
                    label: QuantityText.count(summary.count),
                    value: seconds,
                    text: "\((seconds * 1e7).rounded() / 10) µs, \(QuantityText.bytes(Int(summary.bytesEach)))",
                    isOurs: true
                )
            }
            return Group(title: "\(result.name): \(result.work)", measure: "time and memory for each", bars: bars)
        }
    }

    private static func group(
        _ result: ScenarioResult,
        _ measure: String,
        _ values: [(name: String, value: Double)],
        _ text: (Double) -> String
    ) -> Group {
        let bars = values.map { name, value in
            Bar(label: name, value: value, text: text(value), isOurs: name == Contestant.spate.rawValue)
        }
        return Group(title: "\(result.name): \(result.work)", measure: measure, bars: bars)
    }

    /// The first word with a digit in front and a point in it: `1.36.0` of `aria2 version 1.36.0`.
    static func number(in text: String) -> String {
        let words = text.split { " /,()".contains($0) }
        let number = words.first { $0.contains(".") && ($0.first?.isNumber ?? false) }
        return number.map(String.init) ?? ""
    }
}
