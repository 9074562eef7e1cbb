import Foundation
import Testing

@testable import spate_benchmark

/// What the README shows is what was measured, to the letter.
@Suite struct PublishedFiguresTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = package.appending(path: "Tests/Benchmark/Figures")

    private func report() throws -> BenchmarkReport {
        try BenchmarkReport(path: Self.folder.appending(path: "figures.json").path)
    }

    @Test func theFiguresAreOfAWholeRunOfAReleaseBuild() throws {
        let report = try report()
        #expect(report.isOptimized && report.scale == 1 && report.rounds >= 5)
        #expect(report.scenarios.map(\.name) == Scenario.all.map(\.name))
        #expect(report.scenarios.flatMap(\.failures).isEmpty)
    }

    @Test(arguments: ["README.md"]) func thePageHasTheTables(page: String) throws {
        let text = try String(contentsOf: Self.package.appending(path: page), encoding: .utf8)
        let tables = MarkdownTable(try report()).text
        #expect(text.contains(tables))
        #expect(text.contains("Tests/Benchmark/Figures/benchmark.svg"))
    }

    @Test func theChartIsDrawnFromThem() throws {
        let drawn = try String(contentsOf: Self.folder.appending(path: "benchmark.svg"), encoding: .utf8)
        let again = ChartDrawing.svg(Chart(try report()))
        #expect(drawn == again)
    }

    @Test func whatHasNoFiguresIsRefusedInOneSentence() throws {
        let path = Self.package.appending(path: "README.md").path
        let failure = try #require(throws: UsageError.self) { _ = try BenchmarkReport(path: path) }
        #expect(failure.message.contains("README.md"))
    }
}
