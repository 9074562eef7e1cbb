import Foundation
import SpateTestSupport
import Testing

@testable import SpateProgram

/// The pages that people read, in both languages.
@Suite struct PageTests {
    @Test func thePagesThatReplaceALongReadmeAreInBothLanguages() {
        #expect(MarkdownPage.translated.count >= 9)
    }

    @Test(arguments: MarkdownPage.translated)
    func bothLanguagesHaveTheSameSectionsTablesAndCode(page: MarkdownPage) throws {
        #expect(try page.outline() == page.inChinese.outline())
        // What is generated says more in code in one language.
        if !page.path.hasSuffix("Options.md") { #expect(try page.code() == page.inChinese.code()) }
    }

    @Test(arguments: MarkdownPage.translated) func eachLanguageLinksToTheOther(page: MarkdownPage) throws {
        let (name, other) = (
            Snapshot(page.path).url.lastPathComponent, Snapshot(page.inChinese.path).url.lastPathComponent
        )
        #expect(try page.text().contains("\nEnglish · [简体中文](\(other))\n"))
        #expect(try page.inChinese.text().contains("\n[English](\(name)) · 简体中文\n"))
    }

    @Test(arguments: MarkdownPage.all) func everyLinkLeadsSomewhere(page: MarkdownPage) throws {
        for link in try page.links() {
            #expect(FileManager.default.fileExists(atPath: Snapshot(link.page.path).url.path), "\(link)")
            if let anchor = link.anchor { #expect(try link.page.anchors().contains(anchor), "\(link)") }
        }
    }

    /// Except to its own English version.
    @Test(arguments: MarkdownPage.translated)
    func aChinesePageLinksToChinesePagesWhereThereAreSome(page: MarkdownPage) throws {
        let english = Set(MarkdownPage.translated).subtracting([page])
        #expect(try page.inChinese.links().map(\.page).filter(english.contains) == [])
        #expect(try page.links().map(\.page).filter { $0.isChinese && $0 != page.inChinese } == [])
    }

    /// Options of other programs that the guide names.
    private static let foreign = ["save-session"]

    @Test(arguments: ["Documentation/Program.md", "Documentation/Program.zh-CN.md", "Documentation/Attributes.md"])
    func everyOptionOnThePageExists(page: String) throws {
        let names = try MarkdownPage(page).text().matches(of: /--([a-z][a-z-]+)/).map { String($0.1) }
        #expect(!names.isEmpty)
        let known = Set(ProgramOption.all.map(\.name) + Self.foreign)
        #expect(names.filter { !known.contains($0) } == [])
    }
}
