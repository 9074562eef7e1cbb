import FileSystemCalls
import Foundation
import HTTPSyntax
import HTTPTransport
import Locking
import TestSupport
import Testing
import Timing

@testable import Spate

/// Metalinks that a server names beside the file: `Link: <…>; rel=describedby`.
@Suite(.takesTurns) struct ServerMetalinkTests {
    private static let content = PiecedFile.content

    /// A server that has the file at `/d/f`, and names `/d/f.meta4`.
    private final class Origin: Sendable {
        /// The document, once the URLs are known.
        let document = Locked("")
        let server: TestServer

        init(
            _ bytes: [UInt8] = content,
            link: String = "<f.meta4>; rel=describedby; type=\"application/metalink4+xml\"",
            tls: ServerTLS? = nil,
            file change: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 },
            metalink: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
        ) throws {
            server = try TestServer(tls: tls) { [document] request in
                if request.path.hasSuffix(".meta4") {
                    return metalink(request, .status(200, body: document.withLock { $0 }))
                }
                return change(request, .file(bytes, etag: "\"v1\"", for: request).addingField("Link", link))
            }
        }

        var url: URL { server.url("/d/f") }
        var paths: [String] { server.requests.map(\.path) }
        /// What it has sent in answer to its last request.
        var lastBytes: Int { server.requests.last.map { server.bytesSent(for: $0) } ?? 0 }

        /// Describes the file, with these mirrors.
        func describe(_ mirrors: [TestServer], pieces: Bool = true, sum: Bool = true) {
            // A name that must not be taken.
            let urls = mirrors.map { $0.url("/m") }
            document.withLock { $0 = PiecedFile.document(urls, named: "other", pieces: pieces, sum: sum) }
        }
    }

    private func manager(
        retries: Bool = false,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in }
    ) throws -> TestManager {
        try TestManager {
            $0.connectionsPerDownload = .exactly(1)
            if !retries { $0.retry = .never }
            change(&$0)
        }
    }

    private func mirror() throws -> TestServer { try TestServer { .file(Self.content, etag: "\"m\"", for: $0) } }

    private func request(_ url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.usesServerMetalink = true
        return request
    }

    /// The origin dies, and a mirror goes on behind its bytes. Only the origin gets what is meant for it.
    @Test func aMirrorGoesOnWhenTheOriginDies() async throws {
        let origin = try Origin { request, reply in
            switch request.visit {
            case 1: reply
            case 2: reply.cut(after: 300_000)
            default: .status(404)
            }
        }
        let mirror = try mirror()
        origin.describe([mirror])
        let test = try manager()
        var request = request(origin.server.url("/d/f", authority: "ann:secret@127.0.0.1"))
        (request.headers, request.privateHeaders) = (["X-Mine": "secret"], ["X-Mine"])
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        #expect(origin.paths.prefix(3) == ["/d/f", "/d/f.meta4", "/d/f"] && download.remarks.isEmpty)
        #expect(mirror.bytesSent <= Self.content.count - 300_000)
        for request in origin.server.requests {
            #expect(request.fields["Authorization"] != nil && request.fields["X-Mine"] == "secret")
        }
        for request in mirror.requests {
            #expect(request.fields["Authorization"] == nil && request.fields["X-Mine"] == nil)
        }
        // The request stays as it was given.
        #expect(download.request == request)
    }

    @Test(arguments: [true, false]) func aWrongPieceOfTheOriginIsFound(hasMirror: Bool) async throws {
        let origin = try Origin(PiecedFile.damaged([4]))
        let mirror = try mirror()
        origin.describe(hasMirror ? [mirror] : [])
        let test = try manager()
        let result = try await test.manager.download(request(origin.url)).ended()
        if hasMirror {
            #expect(try test.bytes("f") == Self.content && test.names == ["f"])
            #expect(mirror.bytesSent <= Self.content.count - 4 * PiecedFile.pieceLength + 8_192)
        } else {
            #expect(result.error?.code == .checksumMismatch && result.error?.keptPartialFile == true)
            #expect(result.error?.message.hasPrefix("Piece 5 of 11 ") ?? false)
        }
    }

    @Test func aChecksumAloneIsEnough() async throws {
        let origin = try Origin(PiecedFile.damaged([4]))
        origin.describe([], pieces: false)
        let test = try manager()
        let result = try await test.manager.download(request(origin.url)).ended()
        #expect(result.error?.code == .checksumMismatch && test.names.isEmpty)
        #expect(result.error?.message.contains("as the server says in its Metalink") ?? false)
    }

    /// A later attempt knows what an earlier one has read.
    @Test(arguments: [true, false]) func theDocumentIsFetchedOnce(isReadable: Bool) async throws {
        let origin = try Origin { request, reply in
            request.visit < 4 ? reply.cut(after: 100_000 * request.visit) : reply
        }
        if isReadable { origin.describe([]) }
        let test = try manager(retries: true)
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && download.remarks.isEmpty == isReadable)
        #expect(origin.paths.count { $0 == "/d/f.meta4" } == 1 && origin.paths.count >= 5)
    }

    // MARK: Documents of no use

    struct Lie: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (ReceivedRequest, Reply) -> Reply

        init(_ name: String, _ reason: String, _ change: @escaping @Sendable (ReceivedRequest, Reply) -> Reply) {
            (testDescription, self.reason, self.change) = (name, reason, change)
        }
    }

    private static let lies = [
        Lie("another size", "It states 5 bytes, and the server \(content.count) bytes.") { _, _ in
            .status(200, body: PiecedFile.document([], size: 5, pieces: false))
        },
        Lie("no XML", "The Metalink cannot be read: ") { _, _ in .status(200, body: "no Metalink") },
        Lie("cut off", "broke before") { _, reply in reply.cut(after: 100) },
        Lie("missing", "404") { _, _ in .status(404) },
        Lie("no content", "204") { _, _ in .bytes(["HTTP/1.1 204 No Content"]) },
        Lie("hung up", "without a response") { _, _ in .hangUp },
        Lie("huge", "It has more than 32 MiB.") { _, _ in
            .status(200, body: [UInt8](repeating: UInt8(ascii: " "), count: 32 << 20 + 1))
        },
        Lie("endless", "It has more than 32 MiB.") { _, _ in .endless(.chunks) },
        Lie("redirected in a circle", "in a loop") { request, _ in .redirect(to: request.path) },
        Lie("not HTTP", "is not HTTP") { _, _ in .raw("SSH-2.0-x\r\n") },
    ]

    @Test(arguments: lies) func aDocumentOfNoUseCostsNothingButARemark(lie: Lie) async throws {
        let origin = try Origin(metalink: lie.change)
        origin.describe([])
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"])
        guard case .metalinkNotUsed(let reason) = download.remarks.first else {
            throw SystemError("no remark: \(download.remarks)")
        }
        #expect(reason.contains(lie.reason) && download.remarks.count == 1, "\(reason)")
        #expect(origin.paths.first == "/d/f" && origin.paths.last == "/d/f")
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func noStepLeadsFromHTTPSToHTTP() async throws {
        let open = try Origin()
        open.describe([])
        let target = open.server.url("/d/f.meta4").absoluteString
        let redirecting = try Origin(tls: ServerTLS(), metalink: { _, _ in .redirect(to: target) })
        let linking = try Origin(link: "<\(target)>; rel=describedby; type=application/metalink4+xml", tls: ServerTLS())
        let authority = try TestCertificates.certificate(.good).authority
        for (origin, count) in [(redirecting, 1), (linking, 0)] {
            let test = try manager { $0.certificateAuthorities = authority }
            let download = test.manager.download(request(origin.url))
            _ = try await download.ended().get()
            #expect(try test.bytes("f") == Self.content && download.remarks.count == count)
            #expect(open.paths.isEmpty)
        }
    }

    /// A server that sends a byte now and then holds the download up for a minute at most.
    @Test func aSlowDocumentIsGivenUp() async throws {
        let late = Locked<[@Sendable () -> Void]>([])
        let slow = try Gate()
        let origin = try Origin(metalink: { _, reply in reply.gated(after: 10, slow) })
        origin.describe([])
        var platform = Platform.native
        platform.runtime = Runtime(.native) { delay, work in
            delay == .seconds(60) ? late.withLock { $0.append(work) } : Runtime.native.after(delay, work)
        }
        let folder = try TemporaryFolder()
        let manager = DownloadManager(
            configuration: DownloadManager.Configuration(directory: folder.url),
            in: Surroundings(transport: CurlTransport.shared, platform: platform)
        )
        let download = manager.download(request(origin.url))
        try await slow.reached()
        for work in late.withLock({ $0 }) { work() }
        _ = try await download.ended().get()
        #expect(download.remarks == [.metalinkNotUsed("It takes longer than a minute.")])
    }

    // MARK: When it counts

    @Test func withoutAWishTheLinkIsIgnored() async throws {
        let origin = try Origin()
        origin.describe([])
        let test = try manager()
        _ = try await test.manager.download(origin.url).ended().get()
        var request = request(origin.server.url("/d/g"))
        request.metalink = try PiecedFile.metalink([origin.server.url("/d/g")])
        _ = try await test.manager.download(request).ended().get()
        #expect(origin.paths == ["/d/f", "/d/g"])
    }

    @Test func aMirrorNamesNoMetalink() async throws {
        let (dead, mirror) = (try TestServer { _ in .status(404) }, try Origin())
        let test = try manager()
        var request = request(dead.url("/f"))
        request.mirrors = [mirror.url]
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == Self.content && mirror.paths == ["/d/f"])
    }

    @Test func anErrorNamesNoMetalink() async throws {
        let origin = try Origin { request, reply in
            request.visit == 1
                ? .status(503, fields: ["Link": "<f.meta4>; rel=describedby; type=application/metalink4+xml"])
                : reply.removingField("Link")
        }
        let test = try manager(retries: true)
        _ = try await test.manager.download(request(origin.url)).ended().get()
        #expect(origin.paths == ["/d/f", "/d/f"])
    }

    /// The bytes of an earlier run stay, and are checked.
    @Test func aPartIsContinued() async throws {
        let origin = try Origin { request, reply in request.visit == 1 ? reply.cut(after: 300_000) : reply }
        origin.describe([])
        let test = try manager()
        _ = try await test.manager.download(origin.url).ended()
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"] && download.remarks.isEmpty)
        #expect(origin.paths == ["/d/f", "/d/f", "/d/f.meta4", "/d/f"])
        #expect(origin.server.requests.filter { $0.path == "/d/f" }.map { $0.range != nil } == [false, true, true])
        #expect(origin.lastBytes <= Self.content.count - 300_000 + 8_192)
    }

    /// The bytes of another version go, whether that is seen before the link comes, or with it.
    @Test(arguments: [400_000, PiecedFile.content.count], [true, false])
    func aPartOfAnotherVersionIsNotContinued(size: Int, ignoresIfRange: Bool) async throws {
        let former = TestBytes.random(count: size, seed: 8)
        let origin = try Origin { request, reply in
            switch request.visit {
            case 1: return .file(TestFile(former, etag: "\"v0\""), for: request).cut(after: 300_000)
            case 2 where ignoresIfRange:
                let start = 300_000 - 4_096
                let range = "bytes \(start)-\(Self.content.count - 1)/\(Self.content.count)"
                let lines = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: \(range)"]
                return .bytes(lines + ["Content-Length: \(Self.content.count - start)"], Array(Self.content[start...]))
            default: return reply
            }
        }
        origin.describe([])
        let folder = try TemporaryFolder()
        let earlier = try TestManager(folder: folder) { ($0.connectionsPerDownload, $0.retry) = (.exactly(1), .never) }
        _ = try await earlier.manager.download(origin.url).ended()
        let test = try TestManager(folder: folder) {
            $0.connectionsPerDownload = .exactly(1)
            // Another size says at once that it is another version; otherwise the pieces say it.
            if size != Self.content.count { $0.retry = .never }
        }
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && test.names == ["f"] && download.remarks.isEmpty)
    }

    /// The request that was prepared is sent again, and the program is asked once.
    @Test func aPreparedRequestStaysPrepared() async throws {
        let origin = try Origin()
        origin.describe([])
        let (count, signed) = (Locked(0), origin.server.url("/d/signed?secret=1"))
        let test = try manager {
            $0.prepare = { request, _ in
                count.withLock { $0 += 1 }
                var request = request
                (request.url, request.headers) = (signed, ["X-Signature": "s"])
                return request
            }
        }
        _ = try await test.manager.download(request(origin.url)).ended().get()
        #expect(origin.paths == ["/d/signed", "/d/f.meta4", "/d/signed"] && count.withLock { $0 } == 1)
        #expect(origin.server.requests.allSatisfy { $0.fields["X-Signature"] == "s" })
    }

    // MARK: Stopping, and limits

    @Test func aPauseStopsTheDocument() async throws {
        let gate = try Gate()
        let origin = try Origin(metalink: { request, reply in
            request.visit == 1 ? reply.gated(after: 10, gate) : reply
        })
        origin.describe([])
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        try await gate.reached()
        download.pause()
        try await eventually("the connection is closed") { origin.server.openConnections == 0 }
        #expect(test.names.isEmpty)
        download.resume()
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == Self.content && download.remarks.isEmpty)
        #expect(origin.paths.count { $0 == "/d/f.meta4" } == 2)
    }

    @Test(arguments: [true, false]) func anEndStopsTheDocument(isDeleted: Bool) async throws {
        let gate = try Gate()
        let origin = try Origin(metalink: { _, reply in reply.gated(after: 0, gate) })
        origin.describe([])
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        try await gate.reached()
        isDeleted ? try download.delete() : download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await eventually("the connection is closed") { origin.server.openConnections == 0 }
        try await test.filesAreClosed()
        #expect(test.names.isEmpty && origin.paths == ["/d/f", "/d/f.meta4"])
    }

    /// The attempt's own slot and connection are enough.
    @Test func oneSlotAndOneConnectionAreEnough() async throws {
        let origins = try (0..<3).map { _ in try Origin() }
        let test = try manager { ($0.maxConcurrentDownloads, $0.maxConnectionsPerHost) = (1, 1) }
        for origin in origins { origin.describe([]) }
        for download in test.manager.download(origins.map { request($0.url) }) {
            _ = try await download.ended().get()
            #expect(download.remarks.isEmpty)
        }
    }

    /// What the host says to the request for the document holds for the file, too.
    @Test func aHostThatAsksToWaitIsLeftAlone() async throws {
        let origin = try Origin(metalink: { _, _ in .status(429, fields: ["Retry-After": "1"]) })
        let test = try manager()
        let download = test.manager.download(request(origin.url))
        _ = try await download.ended().get()
        #expect(origin.paths == ["/d/f", "/d/f.meta4", "/d/f"] && download.remarks.count == 1)
        let times = origin.server.requests.map(\.receivedAt)
        #expect(times[2] - times[1] > .milliseconds(900))
    }

    /// A document on a host without room is waited for, as the target of a redirect is.
    @Test func downloadsWhoseLinksNameOneDocumentTakeTurns() async throws {
        let gate = try Gate()
        let other = try Origin(metalink: { _, reply in reply.gated(after: 10, gate) })
        other.describe([])
        let link = "<\(other.server.url("/f.meta4"))>; rel=describedby; type=application/metalink4+xml"
        let origins = try (0..<2).map { _ in try Origin(link: link) }
        let test = try manager { $0.maxConnectionsPerHost = 1 }
        let downloads = origins.enumerated().map { number, origin in
            test.manager.download(request(origin.server.url("/\(number)")))
        }
        try await gate.reached()
        try await eventually("the other one waits") { downloads.contains { $0.waitsForHost } }
        gate.open()
        for download in downloads {
            _ = try await download.ended().get()
            #expect(download.remarks.isEmpty)
        }
        #expect(other.server.requests.count == 2 && other.server.mostAtOnce == 1)
    }

    // MARK: Which file of the document

    private func read(
        _ files: [(name: String, url: String, size: Int)],
        _ request: DownloadRequest
    ) throws
        -> ServerMetalink
    {
        let url = try HTTPURL("https://h/d/f.iso?x=1")
        let texts = files.map { "<file name=\"\($0.name)\"><size>\($0.size)</size><url>\($0.url)</url></file>" }
        let document = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(texts.joined())</metalink>"
        let link = MetalinkLink(route: RequestRoute(to: url), source: try HTTPURL("https://cdn/e/f-1.iso"), size: 7)
        return ServerMetalink(Data(document.utf8), from: url, at: link, of: url, WantedFile(request))
    }

    @Test func theFileIsFoundByItsURLThenByItsNameThenAsTheOnlyOne() throws {
        let request = DownloadRequest(try #require(URL(string: "https://h/d/f.iso?x=1")))
        let other = (name: "other", url: "https://m/other", size: 7)
        for url in ["https://h/d/f.iso?x=1", "https://cdn/e/f-1.iso"] {
            let files = [(name: "f.iso", url: "https://m/a", size: 8), (name: "x", url: url, size: 7), other]
            #expect(try read(files, request).file?.name == "x")
        }
        for name in ["f.iso", "f-1.iso", "folder/f.iso"] {
            #expect(try read([other, (name: name, url: "https://m/b", size: 7)], request).file?.name == name)
        }
        #expect(try read([other], request).file?.name == "other")
        for files in [[], [other, (name: "another", url: "https://m/b", size: 7)]] {
            #expect(
                try read(files, request).remarks == [
                    .metalinkNotUsed("None of its \(files.count) files has the URL or the name of this one.")
                ]
            )
        }
    }

    @Test func anotherChecksumThanTheRequestsIsNotTaken() throws {
        let url = try #require(URL(string: "https://h/d/f"))
        let link = MetalinkLink(
            route: RequestRoute(to: try HTTPURL("https://h/f.meta4")),
            source: try HTTPURL("https://h/d/f"),
            size: Int64(Self.content.count)
        )
        let document = Data(PiecedFile.document([url]).utf8)
        let own = try Checksum(.sha256, PiecedFile.sum(Self.content[...]))
        let another = try Checksum(.sha256, String(repeating: "ab", count: 32))
        let md5 = try Checksum(.md5, String(repeating: "ab", count: 16))
        for (checksum, isTaken) in [(own, true), (another, false), (md5, true)] {
            let wanted = WantedFile(DownloadRequest(url, checksum: checksum))
            let read = ServerMetalink(document, from: link.source, at: link, of: link.source, wanted)
            #expect((read.file != nil) == isTaken)
            // The caller's counts.
            #expect(WantedFile(DownloadRequest(url, checksum: checksum), read.file).checksum == checksum)
        }
    }
}

extension Runtime {
    /// The same with other timers.
    fileprivate convenience init(
        _ other: Runtime,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.init(
            clock: other.clock,
            wallClock: other.wallClock,
            processorTime: other.processorTime,
            randomBits: other.randomBits,
            sleep: other.sleep,
            after: after,
            makeQueue: other.makeQueue,
            makeStartQueue: other.makeStartQueue,
            executor: other.executor
        )
    }
}
