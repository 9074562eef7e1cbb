import Foundation
import Testing

@testable import SpateProgram

@Suite struct InputFileTests {
    @Test(arguments: [
        ("https://host/a", "https://host/a"),
        ("  https://host/a\t \r", "https://host/a"),
        ("# a comment", ""),
        ("   # a comment", ""),
        ("", ""),
        (" \t\r", ""),
        ("https://host/a # why", "https://host/a"),
        ("https://host/a\t#why", "https://host/a"),
        ("https://host/a#part", "https://host/a#part"),
    ])
    func aLineHoldsAURLOrNothing(line: String, content: String) {
        #expect(InputFile.content(of: line) == content)
    }

    @Test func aByteOrderMarkIsIgnored() {
        #expect(InputFile.content(of: "\u{FEFF}https://host/a", isFirst: true) == "https://host/a")
    }

    @Test func linesAreReadInOrder() throws {
        let text = "https://host/1\r\n\n# no\n  https://host/2 \n\nhttps://host/3#x # no\nhttps://host/4"
        #expect(
            try read(Data(text.utf8)) == (1...3).map { "https://host/\($0)" }.map {
                $0 == "https://host/3" ? $0 + "#x" : $0
            } + ["https://host/4"]
        )
    }

    @Test func linesAcrossTheBufferStayWhole() throws {
        // Lines of different lengths end at every offset around the size of the buffer.
        let urls = (0..<100_000).map { "https://host/\($0)" }
        #expect(try read(Data(urls.joined(separator: "\n").utf8)) == urls)
    }

    @Test func anInvalidLineIsReportedWithItsNumber() throws {
        let error = #expect(throws: UsageError.self) {
            try read(Data("https://host/1\n\nnonsense\nhttps://host/2\n".utf8))
        }
        #expect(error?.message.contains("line 3: “nonsense” is not a URL") == true, "\(error?.message ?? "")")
    }

    @Test func anEndlessLineIsRefused() throws {
        let error = #expect(throws: UsageError.self) {
            try InputFile(name: "/dev/zero").forEachAddress { _ in }
        }
        #expect(error?.message.contains("line 1: longer than") == true)
    }

    @Test(arguments: ["/nonexistent/list", "/"])
    func anUnreadableFileIsReportedWithItsName(name: String) {
        let error = #expect(throws: UsageError.self) { try InputFile(name: name).forEachAddress { _ in } }
        #expect(error?.message.hasPrefix("can't read --input \(name): ") == true)
    }

    private func read(_ data: Data) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var found: [String] = []
        try InputFile(name: file.path).forEachAddress { found.append($0.url.absoluteString) }
        return found
    }
}
