import Foundation
import Spate
import SpateTestSupport
import Testing

/// The README in both languages: what it is on one screen, and links to everything else.
@Suite struct ReadmeTests {
    private static let pages = [MarkdownPage("README.md"), MarkdownPage("README.zh-CN.md")]

    /// As GitHub shows it, without the picture.
    @Test(arguments: pages) func itsBeginningFitsOneScreen(page: MarkdownPage) throws {
        let lines = try page.lines()
        let screen = lines.prefix { !$0.hasPrefix("## ") }
        #expect(screen.count { !$0.isEmpty } <= 35)
        #expect(screen.count { $0.hasPrefix("![") } == 1)
        let blocks = screen.split { $0.hasPrefix("```") }.map(Array.init)
        #expect(blocks.filter { $0.first?.hasPrefix("swift run ") == true }.map(\.count) == [2])
        #expect(blocks.filter { $0.first?.hasPrefix("swift build ") == true }.map(\.count) == [2])
        #expect(blocks.filter { $0.first?.hasPrefix("let manager") == true }.map(\.count) == [5])
    }

    @Test(arguments: pages) func noParagraphIsLong(page: MarkdownPage) throws {
        for line in try page.text().replacing(/\]\([^)]+\)/, with: "]").split(separator: "\n") {
            #expect(line.count <= 400, "\(line.prefix(60))…")
        }
    }

    /// Five rows of the comparison, in which no other program has it.
    @Test(arguments: zip(pages, ["Comparison.md", "Comparison.zh-CN.md"]))
    func whatOnlySpateDoesIsOnThePageThatCompares(page: MarkdownPage, comparison: String) throws {
        let all = try MarkdownPage("Documentation/\(comparison)").lines()
        let screen = try page.lines().prefix { !$0.hasPrefix("## ") }
        let rows = screen.filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count == 5)
        for row in rows {
            #expect(all.contains { $0.hasPrefix(row) }, "\(row)")
            let others = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.dropFirst(2)
            #expect(others.count == 3)
            #expect(others.allSatisfy { $0.hasPrefix("no") || $0.hasPrefix("否") || ["in place", "原地修复"].contains($0) })
        }
    }

    @Test(arguments: pages) func theCommandThatInstallsIsTheOneThatIsExplained(page: MarkdownPage) throws {
        let blocks = try [page, MarkdownPage("Documentation/Installation.md")].map { page in
            try page.lines().split { $0.hasPrefix("```") }.first { $0.first?.hasPrefix("swift build ") == true }
        }
        #expect(blocks[0] != nil && blocks[0] == blocks[1])
    }

    @Test(arguments: [
        "README.md", "README.zh-CN.md", "Sources/Spate/Spate.docc/GettingStarted.md",
        "Examples/CommandLine/Package.swift",
    ]) func packagesAskForThisVersion(page: String) throws {
        #expect(try Snapshot(page).text().contains("Spate.git\", from: \"\(LibraryVersion.text)\")"))
    }

    @Test func theChangelogHasThisVersion() throws {
        #expect(try Snapshot("CHANGELOG.md").text().contains("\n## \(LibraryVersion.text) ("))
    }
}
