import Foundation
import Spate
import SpateTestSupport
import Testing

@testable import SpateProgram

/// Documentation/Messages.md has more lines that are refused.
@Suite struct InputFileTests {
    /// The items of a file with this text.
    private func items(_ text: String) throws -> [DownloadItem] {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "list")
        var found: [DownloadItem] = []
        try InputFile(name: folder.path("list")).forEachItem { found.append($0) }
        return found
    }

    @Test(arguments: [
        ("https://host/a", "https://host/a"), ("  https://host/a\t \r", "https://host/a"),
        ("# a comment", ""), ("   # a comment", ""), ("", ""), (" \t\r", ""),
        ("https://host/a # why", "https://host/a"), ("https://host/a\t#why", "https://host/a"),
        ("https://host/a#part", "https://host/a#part"),
    ])
    func aLineHoldsAURLOrNothing(line: String, content: String) {
        #expect(InputFile.content(of: line) == content)
        #expect(InputFile.content(of: "\u{FEFF}\(line)", isFirst: true) == content)
    }

    @Test func linesAcrossTheBufferStayWhole() throws {
        // Lines of different lengths end at every offset around the size of the buffer.
        let urls = (0..<100_000).map { "https://host/\($0)" }
        #expect(try items(urls.joined(separator: "\n")).map(\.source.shown) == urls)
    }

    @Test func aSHA256FollowsItsURL() throws {
        let digest = String(repeating: "Ab", count: 32)
        let items = try items("https://host/1 \(digest)\r\n\nhttps://host/2\t\(digest) # why\nhttps://host/3\n")
        let read = "sha256:\(digest.lowercased())"
        #expect(items.map(\.settings.checksum?.description) == [read, read, nil])
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
        #expect(items[0].settings.fileName == "one #1.iso" && items[0].settings.directory == "some folder")
        #expect(try items[0].settings.headers == [HeaderField("X-One: a=b"), HeaderField("X-Two: c")])
        #expect(items[0].settings.checksum?.description == "sha1:" + String(repeating: "0a", count: 20))
        for item in items.dropFirst() { #expect(item.particulars == nil) }
    }

    /// Written by `aria2c --save-session`, with another port and digest.
    static func session(of base: String) -> String {
        """
        \(base)/missing\t
         gid=82dc4e51c04090b4
         max-tries=1
         force-save=true
        ftp://127.0.0.1:1/x\t
         gid=da17338de21dbf86
         max-tries=1
        magnet:?xt=urn:btih:248D0A1CD08284299DE78D5C1ED359BB46717D8C
         gid=ae845e3665af1f0e
         bt-stop-timeout=2
        \(base)/a\t\(base)/b\t
         gid=118f78924919d34e
         pause=true
         dir=other
         out=x.bin
         split=7
         referer=http://x/y
         lowest-speed-limit=1
         max-connection-per-server=3
         http-user=me
         http-passwd=p:w
         user-agent=me/1
         header=X-A: 1
         header=X-B: 2

        """
    }

    @Test func aSessionOfAria2IsTakenAndItsOtherOptionsAreNamed() throws {
        let text = Self.session(of: "http://host").split(separator: "\n").filter { !$0.hasPrefix("ftp") }
        let folder = try TemporaryFolder()
        try folder.write(text.filter { !$0.hasPrefix("magnet") }.joined(separator: "\n"), to: "list")
        var reader = try InputFile(name: folder.path("list")).opened()
        var items: [DownloadItem] = []
        while let item = try reader.next() { items.append(item) }
        #expect(items.map(\.source.shown) == ["http://host/missing", "http://host/a"])
        #expect(items[0].particulars == nil)
        let item = items[1]
        #expect(item.source.credentials == "me:p%3Aw@" && item.settings.mirrors.map(\.credentials) == [""])
        #expect(item.settings.fileName == "x.bin" && item.settings.directory == "other")
        let fields = ["Referer: http://x/y", "User-Agent: me/1", "X-A: 1", "X-B: 2"]
        #expect(try item.settings.headers == fields.map { try HeaderField($0) })
        let names = """
            gid max-tries force-save bt-stop-timeout pause split lowest-speed-limit max-connection-per-server
            """
        #expect(reader.unused.names == names.split(separator: " ").map(String.init))
        #expect(reader.unused.hasPaused)
    }

    @Test(arguments: [("http-passwd", "http-user"), ("http-user", "http-passwd")])
    func aLoginOfAria2IsThatOfItsURLUnlessThatHasOne(first: String, second: String) throws {
        let login = ["http-user": "me", "http-passwd": "secret"]
        let options = [first, second].map { " \($0)=\(login[$0] ?? "")" }.joined(separator: "\n")
        let items = try items("http://host/a\n\(options)\n referer=*\nhttp://own:pw@host/b\n\(options)\nhttp://host/c")
        #expect(items.map(\.source.credentials) == ["me:secret@", "own:pw@", ""])
        #expect(items[0].settings.headers.map(\.value) == ["http://host/a"])
    }

    @Test(arguments: [("splt", "split="), ("refere", "referer="), ("gidd", "gid="), ("frobnicate", "out=, dir=")])
    func anOptionThatAria2LacksIsAFault(name: String, meant: String) throws {
        let error = #expect(throws: UsageError.self) { try items("http://host/a\n \(name)=1") }
        #expect(error?.kind == .inputOption && error?.message.contains(meant) == true, "\(error?.message ?? "")")
    }

    /// Else another URL would be asked for, or a file get another name.
    @Test(arguments: ["http://host/caf\\/a", "http://host/b\n out=caf\\"])
    func aLineThatIsNotUTF8IsRefused(text: String) throws {
        let folder = try TemporaryFolder()
        func write(_ text: String) throws {
            let latin = text.utf8.map { $0 == UInt8(ascii: "\\") ? 0xE9 : $0 }
            try Data(latin).write(to: folder.url("list"))
        }
        let list = InputFile(name: folder.path("list"))
        try write("# caf\\\n" + text)
        let error = #expect(throws: UsageError.self) { try list.forEachItem { _ in } }
        #expect(error?.message.contains("iconv") == true, "\(error?.message ?? "")")
        // A comment may have any bytes, and the character for unknown ones is one as others are.
        try write("# caf\\\n\nhttp://host/a # caf\\\nhttp://host/\u{FFFD}\n out=\u{FFFD}")
        var names: [String] = []
        try list.forEachItem { names.append($0.name) }
        #expect(names == ["a", "\u{FFFD}"])
    }

    @Test func aCompressedListIsNotReadAsText() throws {
        let folder = try TemporaryFolder()
        try Data([0x1F, 0x8B, 0x08, 0x00, 0x41, 0x0A, 0x42]).write(to: folder.url("s.gz"))
        let error = #expect(throws: UsageError.self) {
            try InputFile(name: folder.path("s.gz")).forEachItem { _ in }
        }
        #expect(error?.message.contains("gunzip") == true, "\(error?.message ?? "")")
    }

    @Test func tabsSeparateAFileFromItsMirrors() throws {
        let items = try items("https://host/1\thttps://mirror/1\t https://other/1?a=b \t\n  out=one\nhttps://host/2")
        #expect(items.map(\.source.shown) == ["https://host/1", "https://host/2"])
        #expect(items.map { $0.settings.mirrors.map(\.shown) } == [["https://mirror/1", "https://other/1?a=b"], []])
        #expect(items[0].settings.fileName == "one")
    }

    @Test(
        arguments: [
            ("https://host/1\n\nnonsense\nhttps://host/2\n", .missingScheme, 3), ("nonsense here", .missingScheme, 1),
            ("https://host/a 12ab", .inputLine, 1), ("https://host/a\tftp://mirror/a", .otherScheme, 1),
            ("https://host/a\n\n  out=", .emptyValue, 3),
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
        let folder = try TemporaryFolder()
        let lines = ["https://host/1", "nonsense", " out=x", "https://host/2", " splat=5", " out=y", "https://host/3"]
        try folder.write((lines + [" out=z"]).joined(separator: "\n"), to: "list")
        var reader = try InputFile(name: folder.path("list")).opened()
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
}

extension InputFile {
    /// Calls `body` with every item of the file, in order.
    ///
    /// - Throws: the first fault, with its line number.
    func forEachItem(_ body: (DownloadItem) -> Void) throws(UsageError) {
        var reader = try opened()
        while let item = try reader.next() { body(item) }
    }
}

extension InputFileReader {
    /// The next item, or `nil` at the end.
    mutating func next() throws(UsageError) -> DownloadItem? {
        if case .item(let item) = try next(until: nil) { item } else { nil }
    }
}
