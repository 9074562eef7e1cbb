import Foundation
import Glibc
import SpateTestSupport
import Testing

@testable import Spate
@testable import SpateProgram

/// `spate repair`.
@Suite(.takesTurns) struct RepairTests {
    private static let pieceLength = 50_000
    private static let bytes = TestBytes.random(count: 8 * pieceLength, seed: 5)

    private let folder: TemporaryFolder
    private let server: TestServer

    init() async throws {
        folder = try TemporaryFolder()
        server = try TestServer { request in
            request.path == "/f" || request.path == "/g" ? .file(Self.bytes, etag: "\"v\"", for: request) : .status(404)
        }
        let hashes = stride(from: 0, to: Self.bytes.count, by: Self.pieceLength).map { start in
            "<hash>\(Self.sum(Self.bytes[start..<start + Self.pieceLength]))</hash>"
        }
        let pieces = "<pieces type=\"sha-256\" length=\"\(Self.pieceLength)\">\(hashes.joined())</pieces>"
        let file =
            "<size>\(Self.bytes.count)</size><hash type=\"sha-256\">\(Self.sum(Self.bytes[...]))</hash>\(pieces)"
        let files = ["f", "g"].map { "<file name=\"\($0)\">\(file)<url>\(server.url("/\($0)"))</url></file>" }
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files.joined())</metalink>", to: "m")
        try folder.write("<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(files[0])</metalink>", to: "one")
    }

    /// Leaves a file that no program of ours has made, with some pieces damaged.
    private func leave(_ name: String, damaged: [Int]) throws {
        var bytes = Self.bytes
        for piece in damaged { bytes[piece * Self.pieceLength] ^= 1 }
        try Data(bytes).write(to: folder.url(name))
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> String {
        var digest = SHA256()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish().map { Checksum(.sha256, digest: $0).hexadecimal } ?? ""
    }

    private static func most(_ pieces: Int) -> Int { pieces * (pieceLength + 8_192) }

    @Test func allFilesOfAMetalinkAreRepaired() async throws {
        try leave("f", damaged: [3])
        let run = try await folder.spate(["repair", "-M", "m"])
        #expect(run.errorLines == [])
        #expect(try folder.bytes("f") == Self.bytes && folder.bytes("g") == Self.bytes)
        #expect(server.bytesSent <= Self.bytes.count + Self.most(1))
        // Now there is nothing to do.
        let count = server.requests.count
        try await folder.spate(["repair", "-M", "m"])
        #expect(server.requests.count == count)
    }

    /// In another folder, under another name, and chosen among several.
    @Test func aFileIsRepairedWhereItIs() async throws {
        try FileManager.default.createDirectory(at: folder.url("else"), withIntermediateDirectories: false)
        try leave("else/mine", damaged: [0, 7])
        try await folder.spate(["repair", "--metalink", "one", "else/mine"])
        #expect(try folder.bytes("else/mine") == Self.bytes && server.bytesSent <= Self.most(2))
        #expect(try !folder.names.contains("f"))
        try leave("g", damaged: [1])
        try await folder.spate(["repair", "-M", "m", "g"])
        try leave("else/f", damaged: [1])
        try await folder.spate(["repair", "-M", "m", "-d", "else", server.url("/f").absoluteString])
        #expect(try folder.bytes("g") == Self.bytes && folder.bytes("else/f") == Self.bytes)
        #expect(try !folder.names.contains("f"))
    }

    /// URLs that are the same download are the same file of a Metalink.
    @Test func anotherSpellingOfAURLChoosesItsFile() async throws {
        let (port, count) = (server.port, server.requests.count)
        try leave("f", damaged: [1])
        try leave("g", damaged: [1])
        try await folder.spate(["repair", "-M", "m", "HTTP://127.0.0.1:\(port)/x/../f#part"])
        try await folder.spate(["repair", "-M", "m", "http://me:sesame@127.0.0.1:\(port)/g"])
        #expect(try folder.bytes("f") == Self.bytes && folder.bytes("g") == Self.bytes)
        // The given one is asked, with its login.
        #expect(server.requests.dropFirst(count).map { $0.fields["Authorization"] != nil } == [false, true])
    }

    @Test func piecesComeFromAnotherFile() async throws {
        try leave("f", damaged: [2, 3])
        try leave("copy", damaged: [3, 4])
        try await folder.spate(["repair", "-M", "one", "--from", "copy"])
        #expect(try folder.bytes("f") == Self.bytes && server.bytesSent <= Self.most(1))
        let run = try await folder.spate(["repair", "-M", "one", "--from", "nothing"])
        #expect(run.errorLines == [], "a file that is right needs no other")
        try leave("f", damaged: [2])
        let failed = try await folder.spate(["repair", "-M", "one", "--from", "nothing"], code: 1)
        #expect(failed.child.errors.contains("nothing"))
    }

    /// The queue has the whole request: the right pieces stay, and the damaged file is replaced.
    @Test(arguments: [SIGKILL, SIGINT]) func anInterruptedRepairIsResumed(signal: CInt) async throws {
        let (gate, isFree) = (try Gate(), Watched(false))
        let slow = try TestServer { request in
            let reply = Reply.file(Self.bytes, etag: "\"v\"", for: request)
            return isFree.value ? reply : reply.gated(after: 10_000, gate)
        }
        let (url, slowURL) = (server.url("/f").absoluteString, slow.url("/f").absoluteString)
        try folder.write(try folder.text("one").replacing(url, with: slowURL), to: "slow")
        try leave("f", damaged: [2, 3])
        let repair = try SpateRun(["repair", "-M", "slow"], in: folder)
        try await gate.reached()
        repair.child.send(signal)
        try await repair.child.waitForExit()
        isFree.update { $0 = true }
        gate.open()
        try await folder.spate(["resume"])
        #expect(try folder.bytes("f") == Self.bytes && folder.files == ["f", "m", "one", "slow"])
        #expect(slow.bytesSent <= Self.most(3))
    }

    /// By the checksum that it was downloaded with.
    @Test func aFileOfOursNeedsNoMetalink() async throws {
        let url = server.url("/f").absoluteString
        try await folder.spate(["--checksum", "sha256:\(Self.sum(Self.bytes[...]))", url])
        for word in ["f", folder.path("f"), url] {
            let before = server.requests.count
            try await folder.spate(["repair", word])
            #expect(server.requests.count == before)
            let file = try FileHandle(forWritingTo: folder.url("f"))
            try file.write(contentsOf: Data("damage".utf8))
            try file.close()
            try await folder.spate(["repair", word])
            #expect(try folder.bytes("f") == Self.bytes && server.requests.count == before + 1)
        }
        let plain = server.url("/g").absoluteString
        try await folder.spate([plain])
        let failed = try await folder.spate(["repair", plain], code: 1)
        #expect(failed.child.errors.contains("Nothing says whether the file"))
    }
}
