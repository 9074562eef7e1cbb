import Foundation
import SpateTestSupport
import Testing

/// `--checksums` of `get` and `verify`: the same lines for the same files, in folders of folders, too.
@Suite(.takesTurns) struct ChecksumTreeTests {
    private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let abd = "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
    private static let md5 = "900150983cd24fb0d6963f7d28e17f72"

    private let folder: TemporaryFolder
    private let server: TestServer

    /// What is below `/y` is another file.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .status(200, body: $0.path.hasPrefix("/y/") ? "abd" : "abc") }
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    private func list(_ lines: String..., as name: String = "SUMS") throws {
        try folder.write(lines.joined(separator: "\n"), to: name)
    }

    private func make(_ files: [String: String]) throws {
        for (name, text) in files {
            let parent = folder.url(name).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try folder.write(text, to: name)
        }
    }

    /// State and path of each line, and the errors.
    private func verify(_ words: String..., list: String = "SUMS", code: Int32 = 0) async throws -> [String] {
        let run = try await folder.spate(["verify", "--checksums", list] + words, code: code)
        let rows = run.child.output.split(separator: "\n").map { $0.split(separator: /\s{2,}/) }
        return rows.map { "\($0[0]) \($0[2])" } + run.errorLines
    }

    private func missing(_ path: String) -> String {
        "spate: There is no file \(folder.path(path)), which has a checksum. Fetch it, or leave out its checksum."
    }

    @Test func foldersOfURLsAreVerifiedByTheLinesThatTheyWereFetchedBy() async throws {
        // As `find . -type f -exec sha256sum {} +` writes it, and the same tree again as it is here.
        let host = "127.0.0.1:\(server.port)"
        try list("\(Self.abc)  ./a", "\(Self.abc)  ./x/same", "\(Self.abd)  ./y/same", "\(Self.abc)  ./x/none")
        try list("\(Self.abc)  ./\(host)/x/same", "\(Self.abd)  ./\(host)/y/same", as: "HERE")
        let urls = ["/a", "/x/same", "/y/same"].map(url)
        try await folder.spate(["-q", "-d", "tree", "--url-folders", "--checksums", "SUMS"] + urls)
        let rows = ["a", "x/same", "y/same"].map { "verified \(host)/\($0)" }
        #expect(try await verify("-d", "tree", code: 1) == rows + ["missing x/none", missing("tree/x/none")])
        #expect(try await verify("-d", "tree", list: "HERE") == rows)
        // Each by its own line.
        try list("\(Self.abc)  ./a", "\(Self.abd)  ./x/same", "\(Self.abc)  ./y/same")
        let swapped = try await verify("-d", "tree", code: 1)
        #expect(swapped.prefix(3) == [rows[0], "damaged \(host)/x/same", "damaged \(host)/y/same"])
        // Another file of the name has the line; this one has the checksum that it was fetched with.
        try make(["tree/a": "abd"])
        try list("\(Self.abd)  a")
        #expect(try await verify("-d", "tree") == rows + ["verified a"])
    }

    @Test func aListFromTheFolderAboveLeadsToTheSameFiles() async throws {
        try make(["out/a": "abc", "out/x/same": "abc", "out/y/same": "abd"])
        let rows = ["verified a", "verified x/same", "verified y/same"]
        for start in ["", "out/", "../out/", "2024/out/", "\(folder.path)/out/", "2024/dist/", "./x/../"] {
            try list("\(Self.abc)  \(start)a", "\(Self.abc) *\(start)x/same", "SHA256 (\(start)y/same) = \(Self.abd)")
            #expect(try await verify("-d", "out") == rows, "\(start)")
        }
    }

    @Test func whatIsMissingIsToldOnceWithItsRealPath() async throws {
        try make(["out/a": "abc"])
        let gone = [
            "\(Self.abc)  out/x/gone", "\(Self.md5)  ./x/gone", "\(Self.abc)  y/gone", "\(Self.abc)  dist/other",
        ]
        try folder.write((["\(Self.abc)  a"] + gone).joined(separator: "\n"), to: "SUMS")
        let paths = ["dist/other", "x/gone", "y/gone"]
        let rows = ["verified a"] + paths.map { "missing \($0)" }
        #expect(try await Set(verify("-d", "out", code: 1)) == Set(rows + paths.map { missing("out/\($0)") }))
    }

    @Test func thePathOfOutputAndTheURLBothFindALine() async throws {
        try list("\(Self.abd)  sub/mine", "\(Self.abc)  other/mine", "\(Self.abc)  x/same", "\(Self.abd)  y/same")
        let refused = try await folder.spate(["-o", "sub/mine", "--checksums", "SUMS", url("/a")], code: 1)
        #expect(refused.child.errors.contains(": The SHA-256 is "))
        // Its folder does not say which of both it is, but its URL does.
        try await folder.spate(["-d", "out", "--checksums", "SUMS", url("/y/same")])
        #expect(try await verify("-d", "out", code: 1).first { $0.hasSuffix(" same") } == "verified same")
        try folder.write("\(Self.abc)  dist/y/same\n\(Self.abd)  same\n", to: "SUMS")
        for words in [["-d", "two"], ["-d", "two", "-o", "same"]] {
            try await folder.spate(words + ["--checksums", "SUMS", url("/y/same")], code: 1)
        }
    }

    @Test func linesThatContradictEachOtherAreNamedAndNotUsed() async throws {
        try list("\(Self.abc)  x/same", "\(Self.abd)  y/same")
        let note = "lines of SUMS contradict each other: not checked."
        let run = try await folder.spate(["-d", "out", "--checksums", "SUMS", url("/same"), url("/b")])
        #expect(run.errorLines.contains("spate: note: \(url("/same")): \(note)"))
        #expect(run.errorLines.last == "spate: note: 1 file has no line in SUMS: not checked.")
        let rows = try await verify("-d", "out", code: 1)
        #expect(rows.contains("spate: note: same: \(note)"))
        #expect(rows.contains("size-only same") && rows.contains("missing x/same") && rows.contains("missing y/same"))
        let quiet = try await folder.spate(["-q", "-d", "two", "--checksums", "SUMS", url("/same")])
        #expect(quiet.child.errors == "")
    }
}
