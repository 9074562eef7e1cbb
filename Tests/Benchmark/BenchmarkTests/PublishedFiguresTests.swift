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

    /// With `SPATE_WRITE_PAGES` in the environment, the tables in the page are replaced first.
    @Test(arguments: ["README.md", "README.zh-CN.md"]) func thePageHasTheTables(page: String) throws {
        let place = Self.package.appending(path: page)
        let table = MarkdownTable(try report())
        let tables = page == "README.md" ? table.text : ChineseTable(table).text
        if ProcessInfo.processInfo.environment["SPATE_WRITE_PAGES"] != nil {
            let old = try String(contentsOf: place, encoding: .utf8)
            try Self.replacingTables(in: old, with: tables).write(to: place, atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOf: place, encoding: .utf8)
        #expect(text.contains(tables), "to write them anew, set SPATE_WRITE_PAGES=1")
        #expect(text.contains("Tests/Benchmark/Figures/benchmark.svg"))
    }

    @Test func theChineseTablesAreChinese() throws {
        let text = ChineseTable(MarkdownTable(try report())).text
        #expect(!text.contains(#/ (of|at once|onto|in|each|that|files?) /#))
    }

    /// From the heading that names the programs to the last row of the queue's table.
    private static func replacingTables(in page: String, with tables: String) throws -> String {
        let lines = page.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| | spate |") })
        let rest = lines[start...].firstIndex { !$0.hasPrefix("|") && !$0.isEmpty } ?? lines.endIndex
        return (lines[..<start] + tables.components(separatedBy: "\n") + lines[rest...]).joined(separator: "\n")
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
