import Testing

@testable import spate_benchmark

@Suite struct PageRowsTests {
    private let figures = Figures(
        FigureSample.report([FigureSample.result(["spate": [1], "curl -Z": [2]], name: "line-50-one")])
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
        func report(_ name: String) -> BenchmarkReport {
            FigureSample.report([FigureSample.result(["spate": [7]], name: name)])
        }
        all.replace(with: report("large-tmpfs"))
        #expect(all.scenarios.map(\.name) == ["line-50-one", "large-tmpfs"] && all.runs.count == 2)
        all.replace(with: report("line-50-one"))
        #expect(all.scenarios.map(\.name) == ["line-50-one", "large-tmpfs"] && all.runs.count == 2)
        #expect(all.scenarios[0].runs.map(\.cost.wallSeconds) == [7])
    }
}
