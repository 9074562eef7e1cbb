import Foundation

/// A report's figures as tables of Markdown, for a page that people read.
struct MarkdownTable {
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }

    init(_ report: BenchmarkReport) {
        let races = report.scenarios.filter { !$0.runs.isEmpty }
        // A race in which programs take part in other ways begins a table.
        var tables: [[ScenarioResult]] = []
        for race in races {
            let table = tables.firstIndex { race.programs.isSubset(of: $0[0].programs) }
            if let table { tables[table].append(race) } else { tables.append([race]) }
        }
        var lines = Array(tables.map(Self.table).joined(separator: [""]))
        let queues = report.scenarios.flatMap(QueueSummary.all)
        if !queues.isEmpty {
            lines += [
                "", "| downloads | enqueued in | each | memory each | all cancelled in |", "|--:|--:|--:|--:|--:|",
            ]
            lines += queues.map(Self.line)
        }
        self.lines = lines
    }

    private static func table(of races: [ScenarioResult]) -> [String] {
        var programs: [String] = []
        for run in races.flatMap(\.runs) where !programs.contains(run.program) { programs.append(run.program) }
        return [
            "| | " + programs.joined(separator: " | ") + " | spate to the best other |",
            "|---" + String(repeating: "|--:", count: programs.count + 1) + "|",
        ] + races.map { line($0, programs) }
    }

    private static func line(_ result: ScenarioResult, _ programs: [String]) -> String {
        let comparison = Comparison(result)
        let cells = programs.map { program in
            comparison.rows.first { $0.program == program }.map { Self.figure(of: $0, in: result) } ?? "–"
        }
        let own = comparison.rows.first { Entry.isOurs($0.program) }
        let ratio = result.measure == .wall ? own?.wallRatio.map { QuantityText.ratio($0.median) } : nil
        return "| \(result.name): \(result.work) | " + (cells + [ratio ?? ""]).joined(separator: " | ") + " |"
    }

    /// What the scenario is about.
    private static func figure(of row: Comparison.Row, in result: ScenarioResult) -> String {
        switch result.measure {
        case .wall, .queue: QuantityText.seconds(row.wall.median)
        case .memory: QuantityText.bytes(Int(row.peakBytes))
        case .fetched: row.servedRatio.map { QuantityText.fineRatio($0) + " of the size" } ?? "–"
        }
    }

    private static func line(_ queue: QueueSummary) -> String {
        let cells = [
            QuantityText.count(queue.count),
            QuantityText.seconds(queue.enqueueSeconds),
            ResultTable.microseconds(queue.enqueueSeconds, for: queue.count),
            QuantityText.bytes(Int(queue.bytesEach)),
            QuantityText.seconds(queue.cancelSeconds),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

extension ScenarioResult {
    fileprivate var programs: Set<String> { Set(runs.map(\.program)) }
}
