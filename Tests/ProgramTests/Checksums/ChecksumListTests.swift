import Foundation
import Spate
import SpateFilePaths
import SpateTestSupport
import Testing

@testable import SpateProgram

@Suite(.takesTurns) struct ChecksumListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let md5 = String(repeating: "1", count: 32)
    private static let sha1 = String(repeating: "2", count: 40)
    private static let sha256 = String(repeating: "aB", count: 32)
    private static let sha512 = String(repeating: "4", count: 128)

    @Test(arguments: [
        ("\(sha256)  a.iso", "a.iso", Checksum.Algorithm.sha256), ("\(sha256) *a.iso", "a.iso", .sha256),
        ("\(md5) a.iso", "a.iso", .md5), ("\(md5)\ta.iso", "a.iso", .md5), ("\(sha1)  a (1).iso", "a (1).iso", .sha1),
        ("\(sha512)   a  b ", " a  b ", .sha512), ("\(md5)  *a", "*a", .md5), ("\\\(md5)  a\\\\b", "a\\b", .md5),
        ("MD5 (a.iso) = \(md5)", "a.iso", .md5), ("SHA256 (a (1).iso) = \(sha256)", "a (1).iso", .sha256),
        ("SHA2-512(a.iso)= \(sha512)", "a.iso", .sha512), ("SHA1 (a=b) = \(sha1)", "a=b", .sha1),
    ])
    func aLineHasADigestAndAName(line: String, name: String, algorithm: Checksum.Algorithm) throws {
        let read = try ChecksumLine(line)
        #expect(read.name == name && read.checksum.algorithm == algorithm)
    }

    @Test(arguments: [
        "a.iso", md5, "\(md5)  ", "\(md5)*a.iso", "\(md5)1  a.iso", "x\(md5)  a.iso", "\(sha256.dropLast())  a.iso",
        "MD5 (a.iso) = \(sha1)", "SHA384 (a.iso) = \(String(repeating: "0", count: 96))", "MD5 (a.iso) \(md5)",
        "MD5 () = \(md5)", "MD5 )a.iso( = \(md5)", "a.iso  \(md5)", "-----BEGIN PGP SIGNED MESSAGE-----",
    ])
    func anotherLineIsRefused(line: String) {
        let error = #expect(throws: UsageError.self) { try ChecksumLine(line) }
        #expect(error?.kind == .checksumLine)
    }

    /// The digits of what the list gives for a URL's path, or for a chosen name.
    private func found(_ path: String, named name: String? = nil, in lines: String...) throws -> String? {
        try folder.write(lines.joined(separator: "\n"), to: "SUMS")
        let list = try ChecksumList(files: [folder.path("SUMS")])
        var request = try DownloadURL("https://host.test/\(path)").request
        request.fileName = name
        return list.answer(for: request, in: "/out").checksum?.hexadecimal
    }

    private static func digest(_ digit: Int) -> String { String(repeating: "\(digit)", count: 64) }

    @Test func aFileGetsTheChecksumOfItsName() throws {
        let (one, two, three) = (Self.digest(1), Self.digest(2), Self.digest(3))
        #expect(try found("x/a.iso?v=1", in: "\(one)  a.iso", "\(two)  b.iso") == one)
        #expect(try found("x/a%20b.iso", in: "# comment", "", "\(one)  a b.iso\r") == one)
        #expect(try found("x/a.iso", in: "\u{FEFF}\(one)  ./a.iso", "\(one)  a.iso") == one)
        #expect(try found("x/a.iso", in: "\(one)  b.iso", "\(two)  a.iso.sig") == nil)
        // The chosen name comes first.
        #expect(try found("x/a.iso", named: "b.iso", in: "\(one)  a.iso", "\(two)  b.iso") == two)
        #expect(try found("x/a.iso", named: "c.iso", in: "\(one)  a.iso", "\(two)  b.iso") == one)
        // Most of the path wins; another folder will do, but not if it leaves a doubt.
        #expect(try found("p/x/a.iso", in: "\(one)  a.iso", "\(two)  x/a.iso", "\(three)  y/a.iso") == two)
        #expect(try found("p/z/a.iso", in: "\(one)  a.iso", "\(two)  x/a.iso") == one)
        #expect(try found("p/a.iso", in: "\(one)  dist/a.iso") == one)
        #expect(try found("p/a.iso", in: "\(one)  x/a.iso", "\(two)  y/a.iso") == nil)
        #expect(try found("p/z/a.iso", in: "\(one)  dist/a.iso", "\(two)  dist/z/a.iso") == two)
        #expect(try found("p/z/a.iso", in: "\(one)  a.iso", "\(two)  dist/z/a.iso") == two)
        #expect(try found("a.iso", in: "\(one)  out/a.iso", "\(two)  ../other/a.iso") == one)
        #expect(try found("p/a.iso", named: "b.iso", in: "\(one)  p/a.iso", "\(two)  x/b.iso") == two)
        // The strongest algorithm wins.
        #expect(try found("a", in: "\(Self.sha512)  a", "\(one)  a", "\(Self.md5)  a") == Self.sha512)
    }

    @Test func theNameOfOutputIsLookedUp() async throws {
        let server = try TestServer(files: ["/download": .init(Array("abd".utf8))])
        try folder.write("\(Self.digest(1))  a.iso\n", to: "SUMS")
        for name in ["a.iso", "sub/a.iso"] {
            let words = ["-o", name, "--checksums", "SUMS", server.url("/download").absoluteString]
            let run = try await folder.spate(words, code: 1)
            #expect(run.errorLines.count == 1 && run.child.errors.contains(": The SHA-256 is "))
        }
        #expect(try folder.files == ["SUMS", "sub"] && folder.names(in: "sub") == [])
    }

    /// Two dots are part of many names.
    @Test func aPathWithTwoDotsInANameLeadsToItsFile() throws {
        try FileManager.default.createDirectory(at: folder.url("sub"), withIntermediateDirectories: false)
        for name in ["sub/a..b", "up"] { try folder.write("", to: name) }
        try folder.write("\(Self.digest(1))  sub/a..b\n\(Self.digest(2))  sub/../up\n", to: "SUMS")
        let list = try ChecksumList(files: [folder.path("SUMS")])
        #expect(Set(FolderChecksums(list, [], in: folder.url(".")).checksums.keys) == ["sub/a..b", "up"])
    }

    @Test func filesAreCheckedAndThoseWithoutALineAreCounted() async throws {
        let server = try TestServer(files: [
            "/a": .init(Array("abc".utf8)), "/b": .init(Array("abd".utf8)), "/c": .init([]), "/d": .init([]),
        ])
        let good = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        try folder.write("\(good)  a\n\(good)  b\n\(good)  other\n", to: "SUMS")
        let urls = ["/a", "/b", "/c", "/d"].map { server.url($0).absoluteString }
        let run = try await folder.spate(["-d", "out", "--checksums", "SUMS"] + urls, code: 1)
        #expect(try folder.text("out/a") == "abc")
        #expect(run.errorLines.count == 2 && run.errorLines[0].hasPrefix("spate: \(urls[1]): The SHA-256 is "))
        #expect(run.errorLines.last == "spate: note: 2 files have no line in SUMS: not checked.")

        for (checksum, code) in [("md5:900150983CD24FB0D6963F7D28E17F72", 0), ("md5:\(Self.md5)", 1)] {
            let words = ["-d", "one", "--overwrite", "--checksum", checksum, urls[0]]
            #expect(try await folder.spate(words, code: Int32(code)).errorLines.count == code)
        }
    }
}
