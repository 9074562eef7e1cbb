import Foundation
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport
import SpateTiming
import Testing

@testable import Spate

/// Metalinks that a server names beside the file: `Link: <…>; rel=describedby`.
@Suite(.takesTurns) struct ServerMetalinkTests: MetalinkOrigins {
    private static let content = PiecedFile.content

    /// The origin dies, and a mirror goes on behind its bytes. Only the origin gets what is meant for it.
    @Test func aMirrorGoesOnWhenTheOriginDies() async throws {
        let origin = try MetalinkOrigin { request, reply in
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
        let origin = try MetalinkOrigin(PiecedFile.damaged([4]))
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
        let origin = try MetalinkOrigin(PiecedFile.damaged([4]))
        origin.describe([], pieces: false)
        let test = try manager()
        let result = try await test.manager.download(request(origin.url)).ended()
        #expect(result.error?.code == .checksumMismatch && test.names.isEmpty)
        #expect(result.error?.message.contains("as the server says in its Metalink") ?? false)
    }

    /// A later attempt knows what an earlier one has read.
    @Test(arguments: [true, false]) func theDocumentIsFetchedOnce(isReadable: Bool) async throws {
        let origin = try MetalinkOrigin { request, reply in
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
        Lie("cut off", "The connection broke.") { _, reply in reply.cut(after: 100) },
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
        let origin = try MetalinkOrigin(metalink: lie.change)
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
        let open = try MetalinkOrigin()
        open.describe([])
        let target = open.server.url("/d/f.meta4").absoluteString
        let redirecting = try MetalinkOrigin(tls: ServerTLS(), metalink: { _, _ in .redirect(to: target) })
        let linking = try MetalinkOrigin(
            link: "<\(target)>; rel=describedby; type=application/metalink4+xml",
            tls: ServerTLS()
        )
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
        let origin = try MetalinkOrigin(metalink: { _, reply in reply.gated(after: 10, slow) })
        origin.describe([])
        var platform = Platform.native
        platform.runtime = .native(after: { delay, work in
            delay == .seconds(60) ? late.withLock { $0.append(work) } : Runtime.native.after(delay, work)
        })
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
        let origin = try MetalinkOrigin()
        origin.describe([])
        let test = try manager()
        _ = try await test.manager.download(origin.url).ended().get()
        var request = request(origin.server.url("/d/g"))
        request.metalink = try PiecedFile.metalink([origin.server.url("/d/g")])
        _ = try await test.manager.download(request).ended().get()
        #expect(origin.paths == ["/d/f", "/d/g"])
    }

    @Test func aMirrorNamesNoMetalink() async throws {
        let (dead, mirror) = (try TestServer { _ in .status(404) }, try MetalinkOrigin())
        let test = try manager()
        var request = request(dead.url("/f"))
        request.mirrors = [mirror.url]
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == Self.content && mirror.paths == ["/d/f"])
    }

    @Test func anErrorNamesNoMetalink() async throws {
        let origin = try MetalinkOrigin { request, reply in
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
        let origin = try MetalinkOrigin { request, reply in request.visit == 1 ? reply.cut(after: 300_000) : reply }
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
        let origin = try MetalinkOrigin { request, reply in
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

    /// Its record is beside it, and cannot be written any more.
    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
    func aPartOfAnotherVersionThatStaysEndsTheDownload() async throws {
        let mount = try TemporaryMount(.ramfs)
        let folder = try TemporaryFolder(in: mount.path)
        let bytes = TestBytes.random(count: 16 * Self.content.count, seed: 8)
        let former = Locked<TestFile?>(TestFile(bytes, etag: "\"v0\""))
        let origin = try MetalinkOrigin { request, reply in
            former.withLock { $0 }.map { .file($0, for: request).cut(after: Self.content.count) } ?? reply
        } metalink: {
            mkdir(folder.path(".f.part.spate.tmp"), 0o700)
            return $1
        }
        origin.describe([])
        // With gaps, so that its record must change before it does.
        let earlier = try TestManager(folder: folder) { ($0.connectionsPerDownload, $0.retry) = (.exactly(2), .never) }
        _ = try await earlier.manager.download(origin.url).ended()
        #expect(try earlier.manager.storedDownloads().first?.receivedBytes ?? 0 > Self.content.count)
        former.withLock { $0 = nil }
        let count = origin.paths.count
        let test = try TestManager(folder: folder) { ($0.connectionsPerDownload, $0.retry) = (.exactly(1), .never) }
        let overshoots = Recorder<DownloadProgress>()
        let download = test.manager.download(
            request(origin.url),
            progress: { progress in
                if let total = progress.totalBytes, progress.receivedBytes > total { overshoots.append(progress) }
            }
        )
        let error = try #require(try await download.ended().error)
        #expect(error.code == .fileSystem && origin.paths[count...] == ["/d/f", "/d/f.meta4"], "\(error)")
        #expect(overshoots.values.isEmpty && download.progress.receivedBytes <= download.progress.totalBytes ?? .max)
        withExtendedLifetime(mount) {}
    }

    /// The request that was prepared is sent again, and the program is asked once.
    @Test func aPreparedRequestStaysPrepared() async throws {
        let origin = try MetalinkOrigin()
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
}
