import Foundation
import Testing

@testable import spate_benchmark

/// What Documentation/Benchmarks.md shows is what was measured, to the digit.
@Suite struct PublishedFiguresTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let figures = package.appending(path: "Tests/Benchmark/Figures")
    private let report: BenchmarkReport

    init() throws {
        report = try BenchmarkReport(path: Self.figures.appending(path: "figures.json").path)
    }

    @Test func theFiguresAreOfAWholeRunOfAReleaseBuild() {
        #expect(report.isOptimized && report.scale == 1 && report.rounds >= 9)
        #expect(report.scenarios.map(\.name) == Scenario.published.map(\.name))
        #expect(report.scenarios.flatMap(\.failures).isEmpty)
    }

    /// What a row is about may be said in any words and any language; its figures follow.
    @Test(arguments: ["Documentation/Benchmarks.md", "Documentation/Benchmarks.zh-CN.md"])
    func thePageHasTheFigures(page: String) throws {
        let text = try String(contentsOf: Self.package.appending(path: page), encoding: .utf8)
        // Ratios of fetched bytes have words beside them.
        for line in MarkdownTable(report.scenarios).lines where line.hasPrefix("| ") && !line.contains("of the size") {
            let cells = line.split(separator: "|").dropFirst().joined(separator: "|")
            guard !cells.contains("spate"), cells.contains(where: \.isNumber) else { continue }
            #expect(text.contains("|\(cells)|"), "to write the tables: spate-benchmark --from figures.json --markdown")
        }
        #expect(text.contains("Tests/Benchmark/Figures/benchmark.svg"))
    }

    @Test func theChartIsDrawnFromThem() throws {
        let drawn = try String(contentsOf: Self.figures.appending(path: "benchmark.svg"), encoding: .utf8)
        #expect(drawn == Chart.svg(report), "to draw it: spate-benchmark --from figures.json --svg benchmark.svg")
    }
}
