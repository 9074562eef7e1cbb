import Foundation

/// The figures of one or more runs, as `--json` writes them. A scenario is in one of them.
struct Figures: Sendable, Equatable {
    private(set) var runs: [BenchmarkReport]

    init(_ report: BenchmarkReport) {
        runs = [report]
    }

    /// Those that an earlier run wrote.
    init(path: String) throws(UsageError) {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            // Earlier versions wrote one run.
            let run = try? JSONDecoder().decode(BenchmarkReport.self, from: data)
            runs = try run.map { [$0] } ?? JSONDecoder().decode([BenchmarkReport].self, from: data)
        } catch {
            throw UsageError("\(path) has no figures that --json wrote: \(error.localizedDescription)")
        }
    }

    /// In the order of the list.
    var scenarios: [ScenarioResult] {
        let order = Dictionary(uniqueKeysWithValues: Scenario.all.enumerated().map { ($1.name, $0) })
        func position(_ result: ScenarioResult) -> Int { order[result.name] ?? order.count }
        return runs.flatMap(\.scenarios).sorted { position($0) < position($1) }
    }

    /// The runs with only those of their scenarios that have these names.
    func runs(of names: [String]) -> [BenchmarkReport] {
        runs.map { run in
            var run = run
            run.scenarios.removeAll { !names.contains($0.name) }
            return run
        }.filter { !$0.scenarios.isEmpty }
    }

    /// Takes a run's scenarios in place of earlier figures of them.
    mutating func replace(with report: BenchmarkReport) {
        let old = scenarios.map(\.name).filter { name in !report.scenarios.contains { $0.name == name } }
        runs = runs(of: old) + [report]
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(runs) + Data("\n".utf8)
    }

    /// Writes everything that was asked for.
    func write(as arguments: BenchmarkArguments) throws {
        func write(_ data: Data, to path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }
        if let path = arguments.json { try write(json(), to: path) }
        if let path = arguments.markdown { try write(Data(MarkdownTable(scenarios).text.utf8), to: path) }
        if let path = arguments.svg { try write(Data(Chart.svg(runs).utf8), to: path) }
    }
}
