import Foundation

/// Figures as tables of Markdown, for a page that people read.
struct MarkdownTable {
    let lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }

    init(_ scenarios: [ScenarioResult]) {
        let races = scenarios.filter { !$0.runs.isEmpty }
        // A race in which programs take part in other ways begins a table.
        var tables: [[ScenarioResult]] = []
        for race in races {
            let columns = Set(race.columns)
            let table = tables.firstIndex { table in
                table[0].measure.isServer == race.measure.isServer && columns.isSubset(of: table[0].columns)
            }
            if let table { tables[table].append(race) } else { tables.append([race]) }
        }
        var lines = Array(tables.map(Self.table).joined(separator: [""]))
        let queues = scenarios.flatMap(QueueSummary.all)
        if !queues.isEmpty {
            lines += [
                "", "| downloads | enqueued in | each | memory each | all cancelled in |", "|--:|--:|--:|--:|--:|",
            ]
            lines += queues.map(Self.line)
        }
        self.lines = lines
    }

    private static func table(of races: [ScenarioResult]) -> [String] {
        let columns = races[0].columns
        let ratio = "spate to the best " + (races[0].measure.isServer ? "number" : "other")
        return [
            "| | " + (columns + [ratio]).joined(separator: " | ") + " |",
            "|---" + String(repeating: "|--:", count: columns.count + 1) + "|",
        ] + races.map { "| \($0.name): \($0.work) | " + cells(of: $0, in: columns).joined(separator: " | ") + " |" }
    }

    /// What follows the name and the work in a scenario's row.
    static func cells(of result: ScenarioResult, in columns: [String]) -> [String] {
        let comparison = Comparison(result)
        let cells = columns.map { column in
            if column == ScenarioResult.bestNumber { return comparison.bestFixedText ?? "–" }
            return comparison.rows.first { $0.program == column }.map { Self.figure(of: $0, in: result) } ?? "–"
        }
        let own = comparison.rows.first { Entry.isOurs($0.program) }
        let hasRatio = result.measure == .wall || result.measure == .server
        return cells + [hasRatio ? own?.wallRatio.map { QuantityText.ratio($0.median) } ?? "" : ""]
    }

    /// What the scenario is about.
    private static func figure(of row: Comparison.Row, in result: ScenarioResult) -> String {
        switch result.measure {
        case .wall, .server, .queue: row.wallText
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
    /// The heading of the column for the best fixed number of downloads at once.
    fileprivate static let bestNumber = "best number"

    /// The programs, but the best of the fixed numbers in place of all of them.
    fileprivate var columns: [String] {
        guard measure.isServer else { return programs }
        return programs.prefix(1) + [Self.bestNumber] + programs.dropFirst().filter { !Entry.isFixed($0) }
    }
}

extension ScenarioResult.Measure {
    fileprivate var isServer: Bool { self == .server }
}

extension Comparison {
    /// `6.70 s (-j 8)`.
    fileprivate var bestFixedText: String? {
        rows.first { $0.program == bestFixed }.map { row in
            "\(row.wallText) (\(row.program.split(separator: " ").dropFirst().joined(separator: " ")))"
        }
    }
}
