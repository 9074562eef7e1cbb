import Foundation
import Spate
import SpateTestSupport
import Testing

/// What proves the end of a body over HTTP/2 (ResumptionRules.md 19, 113). To libcurl, a stream that is reset without
/// an error ends like a whole one.
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossibleOverHTTP2, "\(ServerTLS.requirement)"))
struct HTTP2EndTests {
    /// A file without a length, whose server says that it serves ranges, or does not.
    private static func withoutLength(_ reply: Reply, ranges: Bool) -> Reply {
        ranges ? reply.withoutLength : reply.withoutLength.removingField("Accept-Ranges")
    }

    private static func story(
        _ versions: ServerTLS.Versions = .both,
        of file: TestFile = FaultStory.file,
        _ bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) throws -> FaultStory {
        try FaultStory(of: file, tls: ServerTLS(versions: versions)) { request, reply in
            let bent = bend(request, reply)
            let hasLength = reply.status != 200 || bent.contentLength != nil
            return request.version == "HTTP/2" || hasLength ? bent : bent.chunked()
        }
    }

    private func versions(_ story: FaultStory) -> [String] { story.server.requests.map(\.version) }

    // MARK: Cuts

    @Test(arguments: [false, true]) func aStreamThatIsResetWithoutAnErrorIsACut(servesRanges: Bool) async throws {
        let story = try Self.story {
            let reply = Self.withoutLength($1, ranges: servesRanges)
            return $0.version == "HTTP/2" && $0.range == nil ? reply.resetStream(after: FaultStory.held) : reply
        }
        let download = try await story.publishes(asking: [nil, servesRanges ? .rest : nil])
        #expect(versions(story) == ["HTTP/2", servesRanges ? "HTTP/2" : "HTTP/1.1"])
        #expect(download.remarks.isEmpty)
    }

    @Test(arguments: [UInt32(2), 7, 8], [false, true])
    func aStreamThatIsResetWithAnErrorIsContinued(code: UInt32, hasLength: Bool) async throws {
        let story = try Self.story {
            let reply = hasLength ? $1 : Self.withoutLength($1, ranges: true)
            return $0.sequence == 1 ? reply.resetStream(after: FaultStory.held, code: code) : reply
        }
        _ = try await story.run().result.get()
        #expect(TestBytes.difference(try story.test.bytes("f"), from: FaultStory.bytes) == nil)
    }

    /// The length, or the expected size, shows the cut.
    @Test(arguments: [false, true]) func aKnownSizeNeedsNoProof(isExpected: Bool) async throws {
        let story = try Self.story {
            let reply = isExpected ? Self.withoutLength($1, ranges: true) : $1
            return $0.sequence == 1 ? reply.resetStream(after: FaultStory.held) : reply
        }
        try await story.publishes(asking: [nil, .rest]) {
            if isExpected { $0.expectedBytes = Int64(FaultStory.bytes.count) }
        }
        let right = try Self.story { isExpected ? Self.withoutLength($1, ranges: true) : $1 }
        try await right.publishes(asking: [nil]) {
            if isExpected { $0.expectedBytes = Int64(FaultStory.bytes.count) }
        }
    }

    /// In the middle of the body, and after its end.
    @Test(arguments: [FaultStory.held, FaultStory.bytes.count], [false, true])
    func aConnectionThatEndsWithoutTheEndOfTheStreamIsACut(cut: Int, isAnnounced: Bool) async throws {
        let story = try Self.story {
            let reply = Self.withoutLength($1, ranges: true)
            guard $0.sequence == 1 else { return reply }
            return isAnnounced ? reply.cut(after: cut) : reply.cutUnannounced(after: cut)
        }
        _ = try await story.run().result.get()
        #expect(TestBytes.difference(try story.test.bytes("f"), from: FaultStory.bytes) == nil)
        // libcurl may drop what it has not handed over.
        let ranges = story.server.requests.map(\.range)
        #expect(ranges.count == 2 && ranges[1] != nil, "\(ranges)")
    }

    @Test func aServerThatGoesAwayEndsItsStream() async throws {
        let story = try Self.story {
            Self.withoutLength($1, ranges: true).goingAway(after: $0.range == nil ? 1_000 : 0)
        }
        try await story.publishes(asking: [nil, .rest(from: FaultStory.bytes.count)])
    }

    // MARK: Right servers

    /// With ranges on the same connection, else over HTTP/1.1 before the body comes.
    @Test(arguments: [false, true], [false, true])
    func aRightServerGetsOneMoreRequest(servesRanges: Bool, hasTrailers: Bool) async throws {
        let story = try Self.story { request, reply in
            let bare = Self.withoutLength(reply, ranges: servesRanges)
            return hasTrailers && request.version == "HTTP/2" ? bare.chunked(trailers: ["X-Sum": "1"]) : bare
        }
        let proof = servesRanges ? String.rest(from: FaultStory.bytes.count) : nil
        let download = try await story.publishes(asking: [nil, proof])
        #expect(versions(story) == ["HTTP/2", servesRanges ? "HTTP/2" : "HTTP/1.1"] && download.remarks.isEmpty)
        #expect(story.server.connectionCount == (servesRanges ? 1 : 2))
        let sent = story.server.requests.map { story.server.bytesSent(for: $0) }
        #expect(sent.last == (servesRanges ? 4_096 : FaultStory.bytes.count))
    }

    /// Small files without a validator: the whole is compared.
    @Test(arguments: [0, 1, 70_000]) func filesWithoutATagAreProvenByTheirBytes(size: Int) async throws {
        let bytes = TestBytes.random(count: size)
        let story = try Self.story(.http2, of: TestFile(bytes)) { Self.withoutLength($1, ranges: true) }
        try await story.publishes(bytes, asking: [nil, "bytes=\(max(0, size - 65_536))-"])
    }

    @Test(arguments: [false, true]) func manySmallFilesNeedFewConnections(servesRanges: Bool) async throws {
        let server = try TestServer(tls: ServerTLS(versions: .both)) { request in
            let file = TestFile(TestBytes.random(count: 20_000, seed: UInt64(request.path.utf8.count)), etag: "\"v1\"")
            let right = Reply.file(file, for: request)
            let reply = servesRanges ? right : right.removingField("Accept-Ranges")
            return request.version == "HTTP/2" ? reply.withoutLength : reply.chunked()
        }
        let authority = try TestCertificates.authority
        let test = try TestManager(sharesTransport: false) {
            $0.certificateAuthorities = authority
            $0.maxConcurrentDownloads = 4
        }
        let names = (1...30).map { String(repeating: "f", count: $0) }
        let downloads = test.manager.download(names.map { server.url("/\($0)") })
        for (name, download) in zip(names, downloads) {
            _ = try await download.ended().get()
            let bytes = TestBytes.random(count: 20_000, seed: UInt64(name.utf8.count + 1))
            #expect(TestBytes.difference(try test.bytes(name), from: bytes) == nil)
        }
        // At first nobody knows, and four ask at once.
        #expect(server.requests.count <= (servesRanges ? 60 : 34), "\(server.requests)")
        #expect(server.connectionCount <= 8)
    }

    /// Only the first file shows that the server does not speak HTTP/1.1.
    @Test func aServerOfHTTP2AloneIsProvenByARange() async throws {
        let story = try Self.story(.http2) { Self.withoutLength($1, ranges: false) }
        let proof = String.rest(from: FaultStory.bytes.count)
        try await story.publishes(asking: [nil, nil, proof])
        _ = try await story.test.manager.download(story.server.url("/g")).ended().get()
        #expect(story.server.requests.dropFirst(3).map(\.range) == [nil, proof])
    }

    @Test func anEndThatNothingProvesIsACutAndThePartIsKept() async throws {
        let story = try Self.story(.http2) { _, _ in
            Reply.status(200, body: FaultStory.bytes).withoutLength.resetStream(after: FaultStory.held)
        }
        let (download, result) = try await story.run()
        let error = try #require(result.error)
        #expect(error.code == .incomplete && error.isRetryable && error.keptPartialFile, "\(error)")
        #expect(story.test.names == ["f.part"] && download.progress.totalBytes == nil)
        let kept = try story.test.bytes("f.part")
        #expect(TestBytes.difference(kept, from: FaultStory.bytes[..<FaultStory.held]) == nil)
    }

    @Test func aChecksumProvesTheEndThatNothingElseProves() async throws {
        let story = try Self.story(.http2) { _, _ in Reply.status(200, body: "abc").withoutLength }
        try await story.publishes(Array("abc".utf8), asking: [nil, nil, "bytes=0-"]) {
            $0.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        }
    }

    @Test func aRedirectLeadsToAServerThatIsProvenOnItsOwn() async throws {
        let other = try Self.story { Self.withoutLength($1, ranges: false) }
        let target = other.server.url("/f").absoluteString
        let story = try FaultStory(tls: ServerTLS(versions: .both)) { _, _ in
            Reply.redirect(to: target).withoutLength
        }
        try await story.publishes(asking: [nil])
        #expect(versions(other) == ["HTTP/2", "HTTP/1.1"] && versions(story) == ["HTTP/2"])
    }

    @Test func behindAProxyTheEndIsProvenAsWell() async throws {
        let proxy = try TunnelProxy()
        let (authority, choice) = (try TestCertificates.authority, try DownloadProxy("127.0.0.1:\(proxy.port)"))
        let server = try TestServer(tls: ServerTLS(versions: .both)) { request in
            let reply = Reply.file(FaultStory.file, for: request).removingField("Accept-Ranges")
            guard request.version == "HTTP/2" else { return reply.chunked() }
            return reply.withoutLength.resetStream(after: FaultStory.held)
        }
        let test = try TestManager {
            $0.certificateAuthorities = authority
            $0.proxy = choice
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: FaultStory.bytes) == nil)
        #expect(server.requests.map(\.version) == ["HTTP/2", "HTTP/1.1"] && proxy.asked.count == 2)
    }
}
