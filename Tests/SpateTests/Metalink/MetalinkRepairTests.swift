import Foundation
import Glibc
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// Damaged finished files that a Metalink has checksums of pieces for.
@Suite(.takesTurns) struct MetalinkRepairTests {
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
            return .file(TestFile(PiecedFile.content, etag: tag), for: request)
        }
    }

    private func request(pieces: Bool = true) throws -> DownloadRequest {
        try #require(test.manager.request(for: PiecedFile.metalink([server.url("/f")], pieces: pieces)))
    }

    /// Fetches the file, and damages some pieces.
    private func damage(_ pieces: [Int]) async throws {
        _ = try await test.manager.download(request()).ended().get()
        for piece in pieces { try test.write([1, 2, 3, 4, 5], to: "f", at: piece * PiecedFile.pieceLength + 500) }
    }

    /// How many bytes the server has sent in answer to requests after the first.
    private var laterBytes: Int { server.bytesSent - PiecedFile.content.count }

    @Test(arguments: [[3], [0], [10], [2, 3, 7], [0, 5, 10]])
    func onlyDamagedPiecesAreFetched(damaged: [Int]) async throws {
        try await damage(damaged)
        let file = try await test.manager.download(request()).ended().get()
        #expect(file == test.folder.url("f") && test.names == ["f"])
        #expect(try test.bytes("f") == PiecedFile.content)
        #expect(server.requests.dropFirst().allSatisfy { $0.range != nil && $0.fields["If-Range"] == "\"v1\"" })
        // A seam on each side of a gap.
        #expect(laterBytes <= damaged.count * (PiecedFile.pieceLength + 8_192))
    }

    @Test func aWholeFileCostsNoRequest() async throws {
        try await damage([])
        _ = try await test.manager.download(request()).ended().get()
        #expect(server.requests.count == 1)
    }

    /// Without the checksums of pieces everything is fetched. With them, the server's version may have another tag.
    @Test func withoutPiecesAllIsFetched() async throws {
        try await damage([3])
        _ = try await test.manager.download(request(pieces: false)).ended().get()
        #expect(try test.bytes("f") == PiecedFile.content && laterBytes == PiecedFile.content.count)
        try test.write([1, 2, 3], to: "f", at: 0)
        tag.withLock { $0 = "\"v2\"" }
        let before = laterBytes
        _ = try await test.manager.download(request()).ended().get()
        #expect(try test.bytes("f") == PiecedFile.content)
        // The answer to If-Range is the whole, and is left for the range alone.
        #expect(server.requests.last?.range != nil && server.requests.last?.ifRange == nil)
        #expect(laterBytes - before <= PiecedFile.content.count + PiecedFile.pieceLength + 8_192)
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
        let request = try #require(later.manager.request(for: PiecedFile.metalink([server.url("/f")])))
        _ = try await later.manager.download(request).ended().get()
        #expect(try test.bytes("f") == PiecedFile.content && test.names == ["f"])
        #expect(laterBytes <= 2 * (PiecedFile.pieceLength + 8_192))
    }

    /// A mirror cannot fill gaps under the URL's ETag. It goes on behind the front, or fetches the whole.
    @Test(arguments: [0, 8]) func aMirrorRepairsWhatTheURLHasNoMore(damaged: Int) async throws {
        try await damage([damaged])
        let mirror = try TestServer { .file(TestFile(PiecedFile.content, etag: "\"m\""), for: $0) }
        var request = try request()
        request.mirrors = [mirror.url("/g")]
        tag.withLock { $0 = nil }
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == PiecedFile.content && test.names == ["f"])
        #expect(damaged == 0 || mirror.bytesSent < PiecedFile.content.count / 2)
    }

    /// The check for an update is not needed: the checksum says which version is wanted.
    @Test func anUpdateRepairsToo() async throws {
        try await damage([4])
        var request = try request()
        request.checksForUpdate = true
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == PiecedFile.content && download.update == .updated)
        #expect(laterBytes <= PiecedFile.pieceLength + 8_192 && test.names == ["f"])
    }
}
