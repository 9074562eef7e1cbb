import Foundation
import Testing

@testable import spate_benchmark

/// What the pages show is what was measured, to the digit.
@Suite struct PublishedFiguresTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private let publication = Publication(Self.package.path)
    private let figures: Figures

    init() throws {
        figures = try Figures(path: publication.json.path)
    }

    @Test func theFiguresAreOfAWholeRunOfAReleaseBuild() {
        #expect(figures.runs.allSatisfy { $0.isOptimized && $0.scale == 1 && $0.rounds >= 5 })
        #expect(figures.runs(of: Scenario.downloads.map(\.name)).allSatisfy { $0.rounds >= 9 })
        #expect(figures.scenarios.map(\.name) == Scenario.published.map(\.name))
        #expect(figures.scenarios.flatMap(\.failures).isEmpty)
        #expect(figures.scenarios.allSatisfy { !$0.runs.isEmpty || !$0.queueRuns.isEmpty })
    }

    /// What a row is about may be said in any words and any language; its figures follow.
    @Test(arguments: Publication.pages) func aRowHasItsFigures(page: String) throws {
        let text = try publication.text(of: page)
        let advice: Comment = "to write the pages: spate-benchmark --from figures.json --publish ."
        #expect(try PageRows(figures).filled(into: text) == text, advice)
    }

    @Test(arguments: ["Documentation/Benchmarks.md", "Documentation/Benchmarks.zh-CN.md"])
    func thePageHasEveryScenario(page: String) throws {
        let text = try publication.text(of: page)
        let rows = PageRows.names(in: text)
        #expect(figures.scenarios.filter { !$0.runs.isEmpty && !rows.contains($0.name) }.map(\.name) == [])
        // Ratios of fetched bytes have words beside them, and a queue's rows have no name.
        for line in MarkdownTable(figures.scenarios.filter { !$0.queueRuns.isEmpty }).lines where line.hasPrefix("| 1")
        {
            #expect(text.contains(line))
        }
        #expect(text.contains("Tests/Benchmark/Figures/benchmark.svg"))
    }

    @Test(arguments: Publication.pages) func theColumnsAreThoseOfThePrograms(page: String) throws {
        let text = try publication.text(of: page)
        let names = PageRows.names(in: text)
        let races = figures.scenarios.filter { names.contains($0.name) && !$0.runs.isEmpty }
        // The last one, and that of the best number, are in the page's language.
        for heading in MarkdownTable(races).lines where heading.hasPrefix("| | spate") {
            let programs = heading.split(separator: " | ").dropFirst().dropLast().filter { $0 != "best number" }
            let isThere = text.split(separator: "\n").contains { line in
                line.hasPrefix("| | spate")
                    && Array(programs)
                        == line.split(separator: " | ").dropFirst().dropLast().filter { cell in
                            programs.contains(cell)
                        }
            }
            #expect(isThere, "\(heading)")
        }
    }

    @Test func theReadmeBeginsWithRealLines() throws {
        let names = PageRows.names(in: try publication.text(of: "README.md"))
        #expect(names.count >= 4 && names.first?.hasPrefix("line-") == true)
        #expect(names == PageRows.names(in: try publication.text(of: "README.zh-CN.md")))
    }

    @Test func theChartIsDrawnFromThem() throws {
        let drawn = try String(contentsOf: publication.chart, encoding: .utf8)
        #expect(drawn == Publication.chart(of: figures), "to draw it: spate-benchmark --from figures.json --publish .")
    }
}
