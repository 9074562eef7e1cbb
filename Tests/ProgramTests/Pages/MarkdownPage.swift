import Foundation
import SpateTestSupport
import Testing

/// A page of the repository that people read.
struct MarkdownPage: Hashable, CustomTestStringConvertible {
    /// Relative to the package.
    let path: String

    init(_ path: String) { self.path = path }

    var testDescription: String { path }

    var isChinese: Bool { path.hasSuffix(".zh-CN.md") }

    func text() throws -> String { try Snapshot(path).text() }

    func lines() throws -> [String] { try text().components(separatedBy: "\n") }

    /// All pages that link to others.
    static let all: [MarkdownPage] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Snapshot("Documentation").url.path)) ?? []
        return
            (["README.md", "README.zh-CN.md", "CONTRIBUTING.md"]
            + names.filter { $0.hasSuffix(".md") }.sorted().map { "Documentation/\($0)" }).map(MarkdownPage.init)
    }()

    /// The Chinese page of an English one.
    var inChinese: MarkdownPage { MarkdownPage(path.replacing(".md", with: ".zh-CN.md")) }

    static let translated = all.filter(\.isChinese).map {
        MarkdownPage($0.path.replacing(".zh-CN.md", with: ".md"))
    }

    /// The levels of the headings, the code blocks without their comments, and the number of columns of each row.
    func outline() throws -> [String] {
        var isCode = false
        return try lines().compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode {
                return String(line.prefix(upTo: line.firstRange(of: #/ *(//|#) .*$/#)?.lowerBound ?? line.endIndex))
            }
            if line.hasPrefix("|") { return "|\(line.replacing("\\|", with: "").count { $0 == "|" })" }
            return line.hasPrefix("#") ? String(line.prefix { $0 == "#" }) : nil
        }
    }

    /// The words in code, line by line, sorted.
    func code() throws -> [[String]] {
        try lines().map { line in line.matches(of: /`([^`]+)`/).map { String($0.1) }.sorted() }.filter { !$0.isEmpty }
    }

    /// A link to a file of the repository.
    struct Link {
        /// Relative to the package.
        let page: MarkdownPage
        let anchor: String?
    }

    func links() throws -> [Link] {
        let folder = Snapshot(path).url.deletingLastPathComponent()
        return try text().matches(of: /\]\(([^)#]*)(?:#([^)]+))?\)/).filter { !$0.1.contains("://") }.map { link in
            let target =
                link.1.isEmpty ? Snapshot(path).url : folder.appending(path: String(link.1)).standardizedFileURL
            let relative = target.path.replacing(Snapshot.package.standardizedFileURL.path + "/", with: "")
            return Link(page: MarkdownPage(relative), anchor: link.2.map(String.init))
        }
    }

    /// The anchors that GitHub gives the headings.
    func anchors() throws -> [String] {
        try lines().filter { $0.hasPrefix("#") }.map { heading in
            heading.drop { $0 == "#" || $0 == " " }.lowercased().filter {
                $0.isLetter || $0.isNumber || " -_".contains($0)
            }
            .replacing(" ", with: "-")
        }
    }
}
