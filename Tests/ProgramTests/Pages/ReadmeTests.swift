import Foundation
import Spate
import SpateTestSupport
import Testing

/// The README in both languages.
@Suite struct ReadmeTests {
    private func page(_ name: String) throws -> String { try Snapshot(name).text() }

    /// The levels of the headings and the code blocks without their comments.
    private func outline(_ name: String) throws -> [String] {
        var isCode = false
        return try page(name).split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode {
                return String(line.prefix(upTo: line.firstRange(of: #/ *(//|#) .*$/#)?.lowerBound ?? line.endIndex))
            }
            return line.hasPrefix("#") ? String(line.prefix { $0 == "#" }) : nil
        }
    }

    @Test func bothLanguagesHaveTheSameSectionsAndCode() throws {
        #expect(try outline("README.md") == outline("README.zh-CN.md"))
    }

    @Test(arguments: [
        "README.md", "README.zh-CN.md", "Sources/Spate/Spate.docc/GettingStarted.md",
        "Examples/CommandLine/Package.swift",
    ]) func packagesAskForThisVersion(page name: String) throws {
        #expect(try page(name).contains("Spate.git\", from: \"\(SpateVersion.text)\")"))
    }

    @Test func theChangelogHasThisVersion() throws {
        #expect(try page("CHANGELOG.md").contains("\n## \(SpateVersion.text) ("))
    }

    @Test func eachLanguageLinksToTheOther() throws {
        #expect(try page("README.md").contains("[简体中文](README.zh-CN.md)"))
        #expect(try page("README.zh-CN.md").contains("[English](README.md)"))
    }

    @Test(arguments: ["README.md", "README.zh-CN.md"]) func allLinkedFilesExist(page name: String) throws {
        let links = try page(name).matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(!links.isEmpty)
        for link in links where !link.contains("://") {
            #expect(FileManager.default.fileExists(atPath: Snapshot(link).url.path), "\(link)")
        }
    }
}
