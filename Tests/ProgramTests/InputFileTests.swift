import Foundation
import Spate
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
            try InputFile(name: "/dev/zero").forEachItem { _ in }
        }
        #expect(error?.message.contains("line 1: longer than") == true)
    }

    @Test(arguments: ["/nonexistent/list", "/"])
    func anUnreadableFileIsReportedWithItsName(name: String) {
        let error = #expect(throws: UsageError.self) { try InputFile(name: name).forEachItem { _ in } }
        #expect(error?.message.hasPrefix("can't read --input \(name): ") == true)
    }

    @Test func aSHA256FollowsItsURL() throws {
        let digest = String(repeating: "Ab", count: 32)
        let items = try items("https://host/1 \(digest)\nhttps://host/2\t\(digest) # why\nhttps://host/3\n")
        #expect(
            items.map(\.checksum?.description) == [digest, digest, nil].map { $0.map { "sha256:\($0.lowercased())" } }
        )
    }

    @Test func indentedLinesAreOptionsOfTheURLAboveThem() throws {
        let items = try items(
            """
            # of aria2
            https://host/1
              out=one #1.iso\r
            \tdir=some folder

              header=X-One: a=b
              header=X-Two: c
              checksum=sha-1=\(String(repeating: "0A", count: 20))
              https://host/2?a=b
            https://host/3
            """
        )
        #expect(items.map(\.source.shown) == ["https://host/1", "https://host/2?a=b", "https://host/3"])
        #expect(items[0].fileName == "one #1.iso")
        #expect(items[0].directory == "some folder")
        #expect(try items[0].headers == [HeaderField("X-One: a=b"), HeaderField("X-Two: c")])
        #expect(items[0].checksum?.description == "sha1:" + String(repeating: "0a", count: 20))
        for item in items.dropFirst() { #expect(item.particulars == DownloadItem.Particulars()) }
    }

    @Test func tabsSeparateAFileFromItsMirrors() throws {
        let items = try items(
            """
            https://host/1\thttps://mirror/1\t https://other/1?a=b \t
              out=one
            https://host/2
            """
        )
        #expect(items.map(\.source.shown) == ["https://host/1", "https://host/2"])
        #expect(items.map { $0.mirrors.map(\.shown) } == [["https://mirror/1", "https://other/1?a=b"], []])
        #expect(items[0].fileName == "one")
    }

    @Test(
        arguments: [
            ("https://host/a b", .inputLine, 1), ("https://host/a 12ab", .inputLine, 1),
            ("https://host/a https://mirror/a", .mirrors, 1), ("https://host/a\tftp://mirror/a", .otherScheme, 1),
            ("nonsense here", .missingScheme, 1),
            ("  out=a", .inputOption, 1), ("https://host/a\nout=a", .inputOption, 2),
            ("https://host/a\n  split=5", .inputOption, 2), ("https://host/a\n  out=b/a", .fileName, 2),
            ("https://host/a\n\n  out=", .emptyValue, 3), ("https://host/a\n  header=secret", .header, 2),
            ("https://host/a\n  header=A: secret\n  header=a: secret", .repeatedHeader, 3),
            ("https://host/a\n  checksum=md5=12", .checksum, 2),
        ] as [(String, UsageError.Kind, Int)]
    )
    func aLineThatIsNothingOfTheseIsRefused(text: String, kind: UsageError.Kind, line: Int) throws {
        let error = #expect(throws: UsageError.self) { try items(text) }
        #expect(error?.kind == kind)
        #expect(error?.message.contains(", line \(line): ") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }

    @Test func anItemWithAnInvalidOptionIsLeftOutAndItsNeighboursAreNot() throws {
        let file = try write(
            "https://host/1\nnonsense\n  out=x\nhttps://host/2\n  split=5\n  out=y\nhttps://host/3\n  out=z\n"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        var reader = try InputFile(name: file.path).opened()
        var found: [String] = []
        while true {
            do {
                guard let item = try reader.next() else { break }
                found.append(item.name)
            } catch {
                found.append("fault")
            }
        }
        #expect(found == ["fault", "1", "fault", "z"])
    }

    private func items(_ text: String) throws -> [DownloadItem] {
        let file = try write(text)
        defer { try? FileManager.default.removeItem(at: file) }
        var found: [DownloadItem] = []
        try InputFile(name: file.path).forEachItem { found.append($0) }
        return found
    }

    private func write(_ text: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        return file
    }

    private func read(_ data: Data) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var found: [String] = []
        try InputFile(name: file.path).forEachItem { found.append($0.source.url.absoluteString) }
        return found
    }
}
