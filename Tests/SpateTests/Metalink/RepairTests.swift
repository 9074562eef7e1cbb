import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// `DownloadManager.repair`.
@Suite(.takesTurns) struct RepairTests {
    private static let content = PiecedFile.content
    private static let pieceLength = PiecedFile.pieceLength

    private let test: TestManager
    private let server: TestServer

    init() throws {
        test = try TestManager { ($0.connectionsPerDownload, $0.retry) = (.exactly(1), .never) }
        server = try TestServer { .file(TestFile(Self.content, etag: "\"v1\""), for: $0) }
    }

    private func request() throws -> DownloadRequest {
        try #require(test.manager.request(for: PiecedFile.metalink([server.url("/f")])))
    }

    /// Puts a file of another program into the folder.
    private func leave(_ bytes: [UInt8]) throws { try Data(bytes).write(to: test.folder.url("f")) }

    /// What another program has left there: damaged, cut short, or with bytes at its end.
    @Test(arguments: [0, 1, 2]) func aFileOfAnotherProgramIsRepaired(fault: Int) async throws {
        var bytes = PiecedFile.damaged([2, 7])
        if fault == 1 { bytes.removeLast(3 * Self.pieceLength) }
        if fault == 2 { bytes += [1, 2, 3] }
        try leave(bytes)
        #expect(chmod(test.folder.path("f"), 0o600) == 0)
        let repair = test.manager.repair(try request())
        let file = try await repair.ended().get()
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(file == test.folder.url("f") && test.names == ["f"] && repair.update == .updated)
        #expect(try test.bytes("f") == Self.content)
        let missing = fault == 1 ? 6 : 2
        #expect(server.bytesSent <= missing * (Self.pieceLength + 8_192))
    }

    @Test func aRightFileCostsNoRequest() async throws {
        try leave(Self.content)
        let repair = test.manager.repair(try request())
        _ = try await repair.ended().get()
        #expect(server.requests.isEmpty && test.names == ["f"] && repair.update == .unchanged)
    }

    @Test func withoutAFileItIsDownloaded() async throws {
        let repair = test.manager.repair(try request())
        _ = try await repair.ended().get()
        #expect(try test.bytes("f") == Self.content && repair.update == nil)
    }

    /// It stays until the repaired one is complete, also when that fails and another process tries again.
    @Test func theFileStaysUntilItIsRepaired() async throws {
        let dead = try TestServer { _ in .status(503) }
        let bytes = PiecedFile.damaged([4])
        try leave(bytes)
        let metalink = try PiecedFile.metalink([dead.url("/f")])
        let request = try #require(test.manager.request(for: metalink))
        let result = try await test.manager.repair(request).ended()
        guard case .failure(let error) = result else { throw SystemError("it is finished") }
        #expect(error.statusCode == 503 && error.keptPartialFile)
        #expect(error.message.hasSuffix("The file from before stays as it is."))
        #expect(try test.bytes("f") == bytes && test.names == ["f", "f.part"])
    }

    /// Only the pieces prove the bytes of another program's file: whoever has none does not go on with them.
    @Test func aRequestWithoutPiecesStartsOver() async throws {
        let isDead = Locked(true)
        let newer = TestBytes.random(count: Self.content.count, seed: 8)
        let server = try TestServer { request in
            isDead.withLock { $0 } ? .status(503) : .file(TestFile(newer, etag: "\"v2\""), for: request)
        }
        try leave(PiecedFile.damaged([10]))
        let metalink = try PiecedFile.metalink([server.url("/f")])
        _ = try await test.manager.repair(#require(test.manager.request(for: metalink))).ended()
        #expect(try attributes(of: test.folder.path("f.part")).keys.contains("user.spate.joined"))
        isDead.withLock { $0 = false }
        var request = DownloadRequest(server.url("/f"))
        (request.fileName, request.replacesExistingFile) = ("f", true)
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == newer && test.names == ["f"])
        #expect(server.requests.last?.range == nil)
    }

    /// Pieces come from another file, too: here from an older version, and from one that was damaged elsewhere.
    @Test func piecesOfAnotherFileAreTaken() async throws {
        try leave(PiecedFile.damaged([1, 3, 5]))
        let elsewhere = try TemporaryFolder()
        let other = elsewhere.url("copy")
        try Data(PiecedFile.damaged([5, 6])).write(to: other)
        _ = try await test.manager.repair(request(), from: other).ended().get()
        #expect(try test.bytes("f") == Self.content)
        #expect(server.bytesSent <= Self.pieceLength + 8_192)
        // Nothing at all has to be fetched.
        try Data(Self.content).write(to: other)
        let before = server.requests.count
        try leave(PiecedFile.damaged([0]))
        _ = try await test.manager.repair(request(), from: other).ended().get()
        #expect(try test.bytes("f") == Self.content && server.requests.count == before)
    }

    @Test func anotherFileThatIsNotThereIsAnError() async throws {
        let result = try await test.manager.repair(request(), from: test.folder.url("nothing")).ended()
        guard case .failure(let error) = result else { throw SystemError("it is finished") }
        #expect(error.code == .fileSystem && error.message.contains("nothing") && server.requests.isEmpty)
    }

    /// A part and the file from before are joined.
    @Test func aPartIsRepairedToo() async throws {
        let cutting = try TestServer { request in
            let reply = Reply.file(TestFile(Self.content, etag: "\"v1\""), for: request)
            return request.visit == 1 ? reply.cut(after: 3 * Self.pieceLength + 100) : reply
        }
        let metalink = try PiecedFile.metalink([cutting.url("/f")])
        let request = try #require(test.manager.request(for: metalink))
        _ = try await test.manager.download(request).ended()
        try leave(PiecedFile.damaged([0, 9]))
        let before = cutting.bytesSent
        _ = try await test.manager.repair(request).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(cutting.bytesSent - before <= Self.pieceLength + 8_192)
    }

    /// Without pieces the file counts as a whole, by the checksum that it was downloaded with.
    @Test func aFileIsRepairedByItsOwnChecksum() async throws {
        var first = DownloadRequest(server.url("/f"))
        first.checksum = try Checksum(.sha256, PiecedFile.sum(Self.content[...]))
        _ = try await test.manager.download(first).ended().get()
        let request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.repair(request).ended().get()
        #expect(server.requests.count == 1)
        try test.write([1, 2, 3], to: "f", at: 0)
        _ = try await test.manager.repair(request).ended().get()
        #expect(try test.bytes("f") == Self.content && server.requests.count == 2)
    }

    /// By its checksum it is right, but its size is not the one that is wanted.
    @Test(arguments: [true, false]) func aFileOfAnUnwantedSizeIsNotRight(isTooLarge: Bool) async throws {
        try leave(Self.content)
        var request = DownloadRequest(server.url("/f"))
        request.checksum = try Checksum(.sha256, PiecedFile.sum(Self.content[...]))
        let size = Int64(Self.content.count)
        if isTooLarge { request.maximumBytes = size - 1 } else { request.expectedBytes = size + 1 }
        let result = try await test.manager.repair(request).ended()
        #expect(result.error?.code == (isTooLarge ? .tooLarge : .incomplete))
        #expect(try test.bytes("f") == Self.content)
    }

    /// Another file has all pieces, but the request wants another size.
    @Test(arguments: [true, false]) func piecesOfAFileOfAnUnwantedSizeProveNothing(isTooLarge: Bool) async throws {
        let damaged = PiecedFile.damaged([3])
        try leave(damaged)
        var request = DownloadRequest(server.url("/f"))
        request.metalink = try PiecedFile.metalink([server.url("/f")])
        request.checksum = try Checksum(.sha256, PiecedFile.sum(Self.content[...]))
        let size = Int64(Self.content.count)
        if isTooLarge { request.maximumBytes = size - 1 } else { request.expectedBytes = size + 1 }
        let other = test.folder.url.appendingPathComponent("other")
        try Data(Self.content).write(to: other)
        let result = try await test.manager.repair(request, from: other).ended()
        #expect(result.error?.code == (isTooLarge ? .tooLarge : .incomplete))
        #expect(try test.bytes("f") == damaged)
    }

    @Test func nothingToRepairByIsAnError() async throws {
        _ = try await test.manager.download(DownloadRequest(server.url("/f"))).ended().get()
        let result = try await test.manager.repair(DownloadRequest(server.url("/f"))).ended()
        guard case .failure(let error) = result else { throw SystemError("it is finished") }
        #expect(error.code == .badChecksum && test.names == ["f"])
    }

    /// As many gaps as pieces, which no attribute has room for.
    @Test func manyGapsAreRepaired() async throws {
        let (length, count) = (1_024, 4_000)
        let bytes = TestBytes.random(count: length * count, seed: 3)
        let hashes = (0..<count).map { "<hash>\(PiecedFile.sum(bytes[$0 * length..<($0 + 1) * length]))</hash>" }
        let many = try TestServer { .file(TestFile(bytes, etag: "\"v1\""), for: $0) }
        let text =
            "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"f\"><size>\(bytes.count)</size>"
            + "<pieces length=\"\(length)\" type=\"sha-256\">\(hashes.joined())</pieces>"
            + "<url>\(many.url("/f"))</url></file></metalink>"
        let file = try #require(try Metalink(Data(text.utf8)).files.first)
        var damaged = bytes
        for piece in stride(from: 0, to: count, by: 2) { damaged[piece * length] ^= 1 }
        try leave(damaged)
        let request = try #require(test.manager.request(for: file))
        _ = try await test.manager.repair(request).ended().get()
        #expect(try test.bytes("f") == bytes && test.names == ["f"])
    }
}
