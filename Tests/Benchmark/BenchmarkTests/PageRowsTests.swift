import Testing

@testable import spate_benchmark

@Suite struct PageRowsTests {
    private let figures = Figures(
        BenchmarkReport(
            date: "2026-01-01",
            machine: Machine(processor: "p", cores: 2, memoryBytes: 1, kernel: "k", system: "s", diskFileSystem: "f"),
            versions: [:],
            rounds: 1,
            scale: 1,
            isOptimized: true,
            scenarios: [FigureSample.result(["spate": [1], "curl -Z": [2]], name: "line-50-one")]
        )
    )

    @Test(arguments: [": one file", "：一个文件"]) func aRowOfAScenarioGetsItsFiguresAndKeepsItsWords(words: String) throws {
        let page =
            "# Page\n\n| | spate | curl -Z | ratio |\n|---|--:|--:|--:|\n| line-50-one\(words) | | 3 | |\n| Else: a | b |\n"
        let filled = try PageRows(figures).filled(into: page)
        #expect(filled == page.replacing("| | 3 | |", with: "| 1.00 s | 2.00 s | 0.50 |"))
        #expect(PageRows.names(in: filled).contains("line-50-one"))
    }

    @Test func aRowWithOtherColumnsIsAnError() {
        #expect(throws: UsageError.self) { try PageRows(figures).filled(into: "| line-50-one: one file | | |\n") }
    }

    @Test func laterFiguresReplaceThoseOfTheSameScenario() throws {
        var all = figures
        func report(_ name: String) throws -> BenchmarkReport {
            var report = try #require(figures.runs.first)
            report.scenarios = [FigureSample.result(["spate": [7]], name: name)]
            return report
        }
        all.replace(with: try report("large-tmpfs"))
        #expect(all.scenarios.map(\.name) == ["line-50-one", "large-tmpfs"] && all.runs.count == 2)
        all.replace(with: try report("line-50-one"))
        #expect(all.scenarios.map(\.name) == ["line-50-one", "large-tmpfs"] && all.runs.count == 2)
        #expect(all.scenarios[0].runs.map(\.cost.wallSeconds) == [7])
    }
}
