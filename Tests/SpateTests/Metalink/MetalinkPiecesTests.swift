import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// Files whose pieces are checked while they come.
@Suite(.takesTurns) struct MetalinkPiecesTests {
    private static let content = PiecedFile.content
    private static let pieceLength = PiecedFile.pieceLength

    /// Answers like a server that has these bytes.
    private func server(_ bytes: [UInt8], etag: String? = "\"v1\"") throws -> TestServer {
        try TestServer { .file(TestFile(bytes, etag: etag), for: $0) }
    }

    private func manager(connections: Int = 1) throws -> TestManager {
        try TestManager { ($0.connectionsPerDownload, $0.retry) = (.exactly(connections), .never) }
    }

    private func request(_ test: TestManager, _ servers: [TestServer], sum: Bool = true) throws -> DownloadRequest {
        let metalink = try PiecedFile.metalink(servers.map { $0.url("/f") }, sum: sum)
        return try #require(test.manager.request(for: metalink))
    }

    /// A server that sends a wrong piece loses that piece, and what was under way. Another sends the rest.
    @Test(arguments: [0, 4, 10], [1, 4]) func aLyingServerCostsItsPieces(bad: Int, connections: Int) async throws {
        let (liar, honest) = (try server(PiecedFile.damaged([bad])), try server(Self.content, etag: "\"m\""))
        let test = try manager(connections: connections)
        _ = try await test.manager.download(request(test, [liar, honest])).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        let right = bad * Self.pieceLength
        // With one connection everything before the wrong piece is kept.
        #expect(connections > 1 || honest.bytesSent <= Self.content.count - right + 8_192)
        #expect(honest.bytesSent >= Self.pieceLength || bad == 10)
    }

    /// The checksums of pieces prove them without one of the whole.
    @Test func piecesAloneAreEnough() async throws {
        let (liar, honest) = (try server(PiecedFile.damaged([4])), try server(Self.content, etag: "\"m\""))
        let test = try manager()
        _ = try await test.manager.download(request(test, [liar, honest], sum: false)).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(honest.bytesSent <= 7 * Self.pieceLength + 8_192)
        // And a finished file, when it is asked for again.
        try test.write([1, 2, 3], to: "f", at: 5 * Self.pieceLength)
        let before = honest.bytesSent + liar.bytesSent
        _ = try await test.manager.download(request(test, [honest, liar], sum: false)).ended().get()
        #expect(try test.bytes("f") == Self.content)
        #expect(honest.bytesSent + liar.bytesSent - before <= Self.pieceLength + 8_192)
    }

    /// What was right stays until the server has the right file.
    @Test func theOnlyServerIsAskedForTheWrongPieceAlone() async throws {
        let bytes = Locked(PiecedFile.damaged([3]))
        let server = try TestServer { request in .file(TestFile(bytes.withLock { $0 }, etag: nil), for: request) }
        let test = try manager()
        let result = try await test.manager.download(request(test, [server])).ended()
        guard case .failure(let error) = result else { throw SystemError("it is finished") }
        #expect(error.code == .checksumMismatch && !error.isRetryable && error.keptPartialFile)
        #expect(error.message.hasPrefix("Piece 4 of 11 (bytes 196608 to 262143)"))
        #expect(test.names == ["f.part"])
        let before = server.bytesSent
        bytes.withLock { $0 = Self.content }
        _ = try await test.manager.download(request(test, [server])).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(server.bytesSent - before <= Self.content.count - 3 * Self.pieceLength)
    }

    /// The tags of mirrors differ, and some have none. Their bytes are joined all the same, whatever the place.
    @Test(arguments: [nil, "\"m\"", "W/\"m\""]) func mirrorsAreJoined(tag: String?) async throws {
        let dying = try TestServer { request in
            request.visit == 1
                ? .file(TestFile(Self.content, etag: "\"v1\""), for: request).cut(after: 300_000) : .status(404)
        }
        let mirror = try server(Self.content, etag: tag)
        let test = try manager()
        _ = try await test.manager.download(request(test, [dying, mirror])).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(mirror.bytesSent <= Self.content.count - 300_000)
    }

    /// A server that sends the whole for each request fills the gaps, too.
    @Test func aServerWithoutRangesGoesOn() async throws {
        let dying = try TestServer { request in
            request.visit == 1
                ? .file(TestFile(Self.content, etag: "\"v1\""), for: request).cut(after: 300_000) : .status(404)
        }
        let simple = try TestServer { _ in .status(200, body: Self.content) }
        let test = try manager()
        _ = try await test.manager.download(request(test, [dying, simple])).ended().get()
        #expect(try test.bytes("f") == Self.content && simple.requests.count == 1)
    }

    /// A part that was damaged on the disk is found, and its server not blamed.
    @Test(arguments: [2, 5]) func aDamagedPartIsMended(damaged: Int) async throws {
        let server = try TestServer { request in
            let reply = Reply.file(TestFile(Self.content, etag: "\"v1\""), for: request)
            return request.visit == 1 ? reply.cut(after: 5 * Self.pieceLength + 1_000) : reply
        }
        let test = try TestManager {
            ($0.connectionsPerDownload, $0.retry) = (.exactly(1), .never)
        }
        _ = try await test.manager.download(request(test, [server])).ended()
        try test.write([1, 2, 3], to: "f.part", at: damaged * Self.pieceLength + 500)
        let result = try await test.manager.download(request(test, [server])).ended()
        guard case .failure(let error) = result else {
            // The seam has shown it before the piece was read.
            return #expect(try test.bytes("f") == Self.content)
        }
        #expect(error.isRetryable && error.keptPartialFile)
        _ = try await test.manager.download(request(test, [server])).ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
    }

    /// A complete part needs no request.
    @Test func aCompletePartIsOnlyChecked() async throws {
        let first = try server(Self.content)
        let test = try manager()
        _ = try await test.manager.download(request(test, [first])).ended().get()
        let asked = first.requests.count
        _ = try await test.manager.download(request(test, [first])).ended().get()
        #expect(first.requests.count == asked)
    }

    /// Nothing right can come from a stale Metalink. Each server is asked once, for little.
    @Test func aStaleMetalinkFailsEarly() async throws {
        let newer = TestBytes.random(count: Self.content.count, seed: 99)
        let servers = try (0..<3).map { try server(newer, etag: "\"\($0)\"") }
        let test = try manager()
        let result = try await test.manager.download(request(test, servers)).ended()
        guard case .failure(let error) = result else { throw SystemError("it is finished") }
        #expect(error.code == .checksumMismatch && error.message.contains("The 2 other places"))
        #expect(test.names.isEmpty && servers.allSatisfy { $0.requests.count == 1 })
    }
}
