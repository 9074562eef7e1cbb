import Foundation
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

@Suite struct DocumentationMessageTests {
    /// The codes, in the order of their declarations.
    private static func codes() throws -> [String] {
        let source = try Article("Sources/Spate/DownloadError+Code.swift").text()
        return source.matches(of: /public static let (\w+) = Code\(rawValue: "(\w+)"\)/).map { String($0.2) }
    }

    private static func samples() throws -> [String: [MessageSample]] {
        Dictionary(grouping: try MessageSample.all()) { $0.error.code.rawValue }
    }

    /// Expects a value for each case of an enum that the source declares.
    private func expect(_ values: [some Any], toBeAllOf name: String, in path: String) throws {
        let source = try Article("Sources/\(path).swift").text()
        let declaration = try #require(source.firstRange(of: "enum \(name):"))
        var cases: Set<String> = []
        for line in source[declaration.upperBound...].prefix(while: { $0 != "}" }).split(separator: "\n") {
            guard let names = line.firstMatch(of: #/^ +case ([^(]+)/#)?.1 else { continue }
            cases.formUnion(names.split(separator: ", ").map(String.init))
        }
        #expect(Set(values.map { String("\($0)".prefix { $0 != "(" }) }) == cases)
    }

    @Test func everyKindOfFailureHasASample() throws {
        #expect(HTTPURLError.sampleNumbers == Array(0...7))
        #expect(try RedirectFault.sampleNumbers() == Array(0...8))
        #expect(DownloadRemark.samples.map(\.number) == Array(0...5))
        try expect(FileNameError.samples.map(\.flaw), toBeAllOf: "Flaw", in: "PartialFiles/Names/FileName+Explicit")
        try expect(TransportError.samples.map(\.kind), toBeAllOf: "Kind", in: "HTTPTransport/TransportError")
        try expect(ResponseFault.Reason.samples, toBeAllOf: "Reason", in: "HTTPResumption/ResponseFault")
        try expect(FileSystemError.samples.map(\.kind), toBeAllOf: "Kind", in: "FileSystemCalls/FileSystemError")
        #expect(try Set(Self.samples().keys) == Set(Self.codes()))
    }

    @Test func everyMessageSaysWhatHappenedThenWhatToDoAndNothingThatTheURLSays() throws {
        for sample in try MessageSample.all() {
            let message = sample.error.message
            // A status says all.
            let isWhole = message.wholeMatch(of: /\d{3} [A-Z][A-Za-z ]+( at mirror.example.org)?|Answered \d{3}/) != nil
            #expect(message.isSentence || isWhole, "\(message)")
            let says = message.contains(". ") || message.contains("such as https://") || sample.error.isRetryable
            #expect(says || isWhole, "\(message)")
            #expect(!message.contains("secret") && !message.contains("ann:"), "\(message)")
            // The URL, or its host, is shown beside it. A proxy is asked for the host.
            guard sample.error.code != .badURL, sample.error.code != .unsupportedScheme else { continue }
            let others = /(mirror|proxy)\.example\.org|http:\/\/example\.org\/file.zip/
            let rest = message.replacing(others, with: "")
            let isOfFolder = sample.error.code == .fileSystem
            #expect(!rest.contains("example.org") || sample.error.code == .proxy || isOfFolder, "\(message)")
        }
    }

    @Test func theDescriptionSaysTheURLOnceWithoutItsSecrets() throws {
        let url = try #require(URL(string: "https://ann:secret@example.org/file.zip?token=secret"))
        let error = DownloadError(ResponseFault(.status(404)), at: nil)
        #expect("\(error)" == "404 Not Found" && error.url == nil)
        let failed = error.of(url)
        #expect("\(failed)" == "https://example.org/file.zip: 404 Not Found")
        #expect(failed.localizedDescription == "\(failed)" && failed.message == "404 Not Found")
        #expect(failed.url?.absoluteString == "https://example.org/file.zip")
        var other = failed
        other.add("The other place of the file failed, too.")
        #expect(other.message == "404 Not Found. The other place of the file failed, too.")
        #expect(error.of(try #require(URL(string: "ftp://example.org/"))).url == nil)
    }

    @Test func errorsAreMadeWhereTheyAreListed() throws {
        let makers = try Article.sources(in: "Sources/Spate").filter { path, text in
            text.contains(/DownloadError\(\s*\.|self\.init\(\s*\./)
        }
        .map(\.path).filter { !$0.hasPrefix("Errors/") }
        // The cancellation, which has a sample.
        #expect(makers == ["DownloadState.swift"])
    }

    @Test func theArticleListsEveryMessage() throws {
        let article = Article(named: "Messages")
        let text = try article.text()
        let samples = try Self.samples()
        let first = try #require(try Self.codes().first)
        let start = try #require(text.range(of: "\n## \(first)\n"), "it has no section").lowerBound
        var list = ""
        for code in try Self.codes() {
            list += "\n## \(code)\n\n``DownloadError/Code/\(code)``\n\n| message | another try as it is |\n|---|---|\n"
            for sample in samples[code] ?? [] {
                list +=
                    "| \(sample.error.message.asCell) | \(sample.error.isRetryable ? "may help" : "does not help") |\n"
            }
        }
        list += "\n## Remarks\n\n``DownloadRemark``\n\n| remark |\n|---|\n"
        for remark in DownloadRemark.samples { list += "| \(remark.description.asCell) |\n" }
        #expect(try article.snapshot.difference(from: text[..<start] + list) == nil)
    }

    @Test func everyCodeHasARemedy() throws {
        let text = try Article(named: "Troubleshooting").text()
        let sections = text.components(separatedBy: "\n### ").dropFirst()
        let titles = sections.map { $0.prefix { $0 != "\n" } }
        #expect(try titles.map(String.init) == Self.codes())
        let samples = try Self.samples()
        for (title, section) in zip(titles, sections) {
            for part in ["``DownloadError/Code/\(title)``", "**Kept:** ", "**To do:** "] {
                #expect(section.contains(part), "\(title) lacks \(part)")
            }
            let answers = Set(samples[String(title)]?.map(\.error.isRetryable) ?? [])
            let word = answers == [true] ? "may help" : answers == [false] ? "does not help" : "depends"
            #expect(section.contains("**Another try as it is:** \(word)"), "\(title): \(word)")
        }
    }
}

extension String {
    /// The text as a cell of a Markdown table.
    fileprivate var asCell: String {
        var cell = ""
        for character in self {
            if "\\|*_`<>[]".contains(character) { cell.append("\\") }
            cell.append(character)
        }
        return cell
    }
}
