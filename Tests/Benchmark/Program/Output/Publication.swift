import Foundation

/// The files of the repository that show figures.
struct Publication {
    static let pages = [
        "README.md", "README.zh-CN.md", "Documentation/Benchmarks.md", "Documentation/Benchmarks.zh-CN.md",
    ]

    /// The repository.
    let root: URL

    init(_ path: String) {
        root = URL(fileURLWithPath: path, isDirectory: true)
    }

    private var folder: URL { root.appending(path: "Tests/Benchmark/Figures") }
    var json: URL { folder.appending(path: "figures.json") }
    var chart: URL { folder.appending(path: "benchmark.svg") }

    func text(of page: String) throws -> String { try String(contentsOf: root.appending(path: page), encoding: .utf8) }

    /// Bars of what programs themselves cost. Those of lines and servers would be as long as the page.
    static func chart(of figures: Figures) -> String { Chart.svg(figures.runs(of: Scenario.downloads.map(\.name))) }

    /// Takes the figures of runs into the file that has all of them, and writes them into all pages.
    func publish(_ reports: [BenchmarkReport]) throws {
        for result in reports.flatMap(\.scenarios) {
            guard result.failures.isEmpty, !result.runs.isEmpty || !result.queueRuns.isEmpty else {
                throw UsageError("nothing was published: \(result.name) has no figures, or something failed")
            }
        }
        var figures = try Figures(path: json.path)
        for report in reports { figures.replace(with: report) }
        try write(figures)
    }

    private func write(_ figures: Figures) throws {
        // First everything that can fail.
        let rows = PageRows(figures)
        let pages = try Self.pages.map { ($0, try rows.filled(into: text(of: $0))) }
        try figures.json().write(to: json)
        try Data(Self.chart(of: figures).utf8).write(to: chart)
        for (page, text) in pages { try Data(text.utf8).write(to: root.appending(path: page)) }
    }
}
