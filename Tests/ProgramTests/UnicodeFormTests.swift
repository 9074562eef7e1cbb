import Foundation
import SpateTestSupport
import Testing

/// `é` as one scalar, and as `e` with an accent: two names for Linux, and equal as `String`s.
@Suite(.takesTurns) struct UnicodeFormTests {
    private static let forms = ["caf\u{E9}", "cafe\u{301}"]
    private static let digests = [
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9",
    ]
    private let folder: TemporaryFolder
    private let server: TestServer

    /// `/0` is `abc`, and `/1` is `abd`.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer {
            .file(Array($0.path.hasSuffix("0") ? "abc".utf8 : "abd".utf8), etag: "\"v\"", for: $0)
        }
    }

    private func url(_ index: Int) -> String { server.url("/\(index)").absoluteString }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Lines of a list that names each file.
    private func list(_ option: String) throws {
        let lines = Self.forms.enumerated().map { "\(url($0))\n  \(option)=\($1)\n" }
        try folder.write(lines.joined(), to: "LIST")
    }

    @Test func namesInOneFolder() async throws {
        try list("out")
        try await folder.spate(["-q", "--overwrite", "-i", "LIST", "-d", "D"])
        for (form, content) in zip(Self.forms, ["abc", "abd"]) { #expect(try folder.text("D/\(form)") == content) }
        let status = try await folder.spate(["status", "--json", "-d", "D"]).events()
        #expect(status.map { $0["url"] as? String } == [url(1), url(0)])

        // Each has its own line in the list of checksums.
        let sums = zip(Self.digests, Self.forms).map { "\($0)  \($1)\n" }
        try folder.write(sums.joined(), to: "SUMS")
        let verified = try await folder.spate(["verify", "--checksums", "SUMS", "-d", "D"])
        #expect(verified.child.output.split(separator: "\n").map { $0.hasPrefix("verified") } == [true, true])
        try folder.write(sums.reversed().joined(), to: "SUMS")
        try await folder.spate(["verify", "-q", "--checksums", "SUMS", "-d", "D"])
        let swapped = zip(Self.digests.reversed(), Self.forms).map { "\($0)  \($1)\n" }
        try folder.write(swapped.joined(), to: "SUMS")
        try await folder.spate(["verify", "-q", "--checksums", "SUMS", "-d", "D"], code: 1)

        try await folder.spate(["delete", url(0), "-d", "D"])
        #expect(try folder.names(in: "D").map { Array($0.utf8) } == [Array(Self.forms[1].utf8)])
    }

    @Test func foldersOfOneList() async throws {
        try list("dir")
        try folder.write(try folder.text("LIST").replacing("\n  dir", with: "\n  out=f\n  dir"), to: "LIST")
        try await folder.spate(["-q", "--overwrite", "-i", "LIST"])
        for (form, content) in zip(Self.forms, ["abc", "abd"]) { #expect(try folder.text("\(form)/f") == content) }
        try await folder.spate(["-q", "-i", "LIST"])
        try await folder.spate(["delete", "-i", "LIST"])
        for form in Self.forms { #expect(try folder.names(in: form) == []) }
    }

    /// The checksums of a list belong to the names as they are written.
    @Test func checksumsOfNewFiles() async throws {
        try list("out")
        let sums = zip(Self.digests, Self.forms).map { "\($0)  \($1)\n" }
        try folder.write(sums.joined(), to: "SUMS")
        try await folder.spate(["-q", "-i", "LIST", "--checksums", "SUMS", "-d", "D"])
        let verified = try await folder.spate(["verify", "-d", "D"])
        #expect(verified.child.output.split(separator: "\n").map { $0.hasPrefix("verified") } == [true, true])
    }

    /// A mark at the start of a name makes one Character with the slash before it.
    @Test func aMarkHidesNoSlash() async throws {
        let mark = "\u{301}"
        try await folder.spate(["-q", "-o", "\(mark)a/\(mark)b", url(0)])
        #expect(try folder.text("\(mark)a/\(mark)b") == "abc")
        try folder.write("\(Self.digests[0])  \(mark)a/\(mark)b\n", to: "SUMS")
        let verified = try await folder.spate(["verify", "--checksums", "SUMS"])
        #expect(verified.child.output.hasPrefix("verified"))
    }
}
