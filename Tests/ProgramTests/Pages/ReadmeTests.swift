import Foundation
import Testing

/// The README in two languages is one README.
@Suite struct ReadmeTests {
    private func page(_ name: String) throws -> String {
        try String(contentsOf: PackageFolder.url.appending(path: name), encoding: .utf8)
    }

    @Test func bothLanguagesHaveTheSameSections() throws {
        let english = PageOutline(try page("README.md"))
        let chinese = PageOutline(try page("README.zh-CN.md"))
        #expect(english.sections.count == chinese.sections.count)
        #expect(english.sections.count > 8)
        for (one, other) in zip(english.sections, chinese.sections) {
            #expect(one.level == other.level)
            #expect(one.blocks == other.blocks)
            #expect(one.items == other.items && one.paragraphs == other.paragraphs)
            #expect(one.rows == other.rows)
            #expect(one.code == other.code)
            #expect(one.links == other.links)
        }
    }

    @Test func eachLanguageLeadsToTheOther() throws {
        #expect(try page("README.md").contains("[简体中文](README.zh-CN.md)"))
        #expect(try page("README.zh-CN.md").contains("[English](README.md)"))
    }

    @Test(arguments: ["README.md", "README.zh-CN.md"]) func whatIsLinkedIsThere(page name: String) throws {
        let links = try page(name).matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(!links.isEmpty)
        for link in links where !link.contains("://") {
            #expect(FileManager.default.fileExists(atPath: PackageFolder.url.appending(path: link).path), "\(link)")
        }
    }

    @Test func chineseIsWrittenWithItsOwnPunctuation() throws {
        var isCode = false
        for line in try page("README.zh-CN.md").split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { continue }
            #expect(!line.contains(/\p{Han}[,;:?!]|\p{Han}\.( |$)/), "\(line)")
        }
    }

    @Test(arguments: [
        ("a\n## b\n", "a\n# b\n"), ("- a\n- b\n", "- a\n"), ("`a`\n", "`b`\n"), ("[a](b)\n", "[a](c)\n"),
        ("| 1 s | a |\n", "| 2 s | a |\n"), ("```sh\na\n```\n", "```sh\nb\n```\n"), ("a\n\nb\n", "a\n"),
    ])
    func whatDiffersIsSeen(one: String, other: String) {
        #expect(PageOutline(one) != PageOutline(other))
        #expect(PageOutline("```sh\na # one\n```") == PageOutline("```sh\na # two\n```"))
    }
}
