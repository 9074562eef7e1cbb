import Foundation
import Glibc
import Locking
import TestSupport
import Testing

@testable import Spate

/// Damaged finished files that a Metalink has checksums of pieces for.
@Suite(.takesTurns) struct MetalinkRepairTests {
    private static let pieceLength = 65_536
    /// Ten pieces, and a shorter one.
    private static let content = TestBytes.random(count: 10 * pieceLength + 1_000, seed: 7)

    private let test: TestManager
    private let server: TestServer
    /// What the server has; `nil` while it is out of order.
    private let tag: Locked<String?>

    init() throws {
        let tag = Locked<String?>("\"v1\"")
        self.tag = tag
        test = try TestManager { ($0.connectionsPerDownload, $0.retry) = (.exactly(1), .never) }
        server = try TestServer { request in
            guard let tag = tag.withLock({ $0 }) else { return .status(503) }
            return .file(TestFile(Self.content, etag: tag), for: request)
        }
    }

    private func metalink(pieces: Bool = true) throws -> Metalink.File {
        let starts = stride(from: 0, to: Self.content.count, by: Self.pieceLength)
        let hashes = starts.map { start in
            "<hash>\(Self.sum(Self.content[start..<min(Self.content.count, start + Self.pieceLength)]))</hash>"
        }
        let list = "<pieces length=\"\(Self.pieceLength)\" type=\"sha-256\">\(hashes.joined())</pieces>"
        let text =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"f\"><size>\(Self.content.count)</size>"
            + "<hash type=\"sha-256\">\(Self.sum(Self.content[...]))</hash>\(pieces ? list : "")"
            + "<url>\(server.url("/f"))</url></file></metalink>"
        return try #require(try Metalink(Data(text.utf8)).files.first)
    }

    private func request(pieces: Bool = true) throws -> DownloadRequest {
        try #require(test.manager.request(for: metalink(pieces: pieces)))
    }

    /// Fetches the file, and damages some pieces.
    private func damage(_ pieces: [Int]) async throws {
        _ = try await test.manager.download(request()).ended().get()
        for piece in pieces { try test.write([1, 2, 3, 4, 5], to: "f", at: piece * Self.pieceLength + 500) }
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> String {
        var digest = SHA256()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish().map { Checksum(.sha256, digest: $0).hexadecimal } ?? ""
    }

    /// How many bytes the server has sent in answer to requests after the first.
    private var laterBytes: Int { server.bytesSent - Self.content.count }

    @Test(arguments: [[3], [0], [10], [2, 3, 7], [0, 5, 10]])
    func onlyDamagedPiecesAreFetched(damaged: [Int]) async throws {
        try await damage(damaged)
        let file = try await test.manager.download(request()).ended().get()
        #expect(file == test.folder.url("f") && test.names == ["f"])
        #expect(try test.bytes("f") == Self.content)
        #expect(server.requests.dropFirst().allSatisfy { $0.range != nil && $0.fields["If-Range"] == "\"v1\"" })
        // A seam on each side of a gap.
        #expect(laterBytes <= damaged.count * (Self.pieceLength + 8_192))
    }

    @Test func aWholeFileCostsNoRequest() async throws {
        try await damage([])
        _ = try await test.manager.download(request()).ended().get()
        #expect(server.requests.count == 1)
    }

    /// Where the checksums of pieces, or the server's version, are missing, everything is fetched.
    @Test func withoutPiecesOrTheSameVersionAllIsFetched() async throws {
        try await damage([3])
        _ = try await test.manager.download(request(pieces: false)).ended().get()
        #expect(try test.bytes("f") == Self.content && laterBytes == Self.content.count)
        try test.write([1, 2, 3], to: "f", at: 0)
        tag.withLock { $0 = "\"v2\"" }
        let before = laterBytes
        _ = try await test.manager.download(request()).ended().get()
        #expect(try test.bytes("f") == Self.content && laterBytes - before >= Self.content.count)
        #expect(test.names == ["f"])
    }

    /// A later process goes on with the pieces that were kept.
    @Test func untilItIsRepairedTheDamagedFileStays() async throws {
        try await damage([1, 8])
        let damaged = try test.bytes("f")
        tag.withLock { $0 = nil }
        let failed = try await test.manager.download(request()).ended()
        guard case .failure(let error) = failed else { throw SystemError("it is finished") }
        #expect(error.statusCode == 503 && error.keptPartialFile)
        #expect(try test.bytes("f") == damaged && test.names == ["f", "f.part"])
        tag.withLock { $0 = "\"v1\"" }
        let later = try TestManager(folder: test.folder)
        let request = try #require(later.manager.request(for: metalink()))
        _ = try await later.manager.download(request).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(laterBytes <= 2 * (Self.pieceLength + 8_192))
    }

    /// A mirror cannot fill gaps under the URL's ETag. It goes on behind the front, or fetches the whole.
    @Test(arguments: [0, 8]) func aMirrorRepairsWhatTheURLHasNoMore(damaged: Int) async throws {
        try await damage([damaged])
        let mirror = try TestServer { .file(TestFile(Self.content, etag: "\"m\""), for: $0) }
        var request = try request()
        request.mirrors = [mirror.url("/g")]
        tag.withLock { $0 = nil }
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(damaged == 0 || mirror.bytesSent < Self.content.count / 2)
    }

    /// The check for an update is not needed: the checksum says which version is wanted.
    @Test func anUpdateRepairsToo() async throws {
        try await damage([4])
        var request = try request()
        request.checksForUpdate = true
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && download.update == .updated)
        #expect(laterBytes <= Self.pieceLength + 8_192 && test.names == ["f"])
    }
}
