import Foundation
import TestSupport
import Testing

@testable import Spate

/// Another source than the origin adds to what that has sent, or begins anew beside it; it never takes its place.
@Suite(.takesTurns) struct OtherSourceTests {
    private static let size = 8 << 20
    private static let cut = size / 2
    private static let bytes = TestBytes.random(count: size)
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let page = "<html>Please sign in.</html>        "
    private static let file = TestFile(bytes, etag: "\"v1\"", lastModified: date)

    /// What a mirror that has another file answers.
    enum Answer: CaseIterable, Sendable {
        case page, empty, oneByteShort, partOfAnotherTotal, unsized

        func reply(to request: ReceivedRequest) -> Reply {
            let bytes = OtherSourceTests.bytes
            return switch self {
            case .page: .status(200, fields: ["Content-Type": "text/html"], body: OtherSourceTests.page)
            case .empty: .status(200)
            case .oneByteShort: .file(TestFile(Array(bytes.dropLast()), etag: "\"v1\""), for: request)
            case .partOfAnotherTotal:
                .bytes(
                    [
                        "HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Length: 100",
                        "Content-Range: bytes 4128768-4128867/9000000",
                    ],
                    Array(bytes[..<100])
                )
            case .unsized: .bytes(["HTTP/1.1 200 OK", "Content-Type: text/html"], OtherSourceTests.page)
            }
        }
    }

    private static func request(_ server: TestServer, _ mirror: TestServer) -> DownloadRequest {
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        return request
    }

    /// The origin cuts, refuses once, and would go on.
    @Test(arguments: Answer.allCases) func theOriginsOwnRetryComesFirst(answer: Answer) async throws {
        let mirror = try TestServer { answer.reply(to: $0) }
        let server = try TestServer { request in
            switch request.sequence {
            case 1: .file(Self.file, for: request).cut(after: Self.cut)
            case 2: .status(503)
            default: .file(Self.file, for: request)
            }
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        _ = try await test.manager.download(Self.request(server, mirror)).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        #expect(test.names == ["f"] && server.requests.count == 3)
    }

    /// The origin cuts and is gone.
    @Test(arguments: Answer.allCases) func whatIsNotTheFileIsRefusedAndThePartStays(answer: Answer) async throws {
        let mirror = try TestServer { answer.reply(to: $0) }
        let server = try TestServer { request in
            request.sequence == 1 ? .file(Self.file, for: request).cut(after: Self.cut) : .status(404)
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let error = try await test.manager.download(Self.request(server, mirror)).ended().error
        #expect(error?.code == .badResponse, "\(String(describing: error))")
        #expect(test.names == ["f.part"])
        #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<Self.cut]) == nil)
    }

    /// A mirror without tags has the same size: nothing shows that it has the same file, but the user named it.
    @Test(arguments: [false, true]) func aNamedMirrorBeginsAnewBesideThePart(isCut: Bool) async throws {
        let other = TestBytes.random(count: Self.size, seed: 2)
        let gate = try Gate()
        let mirror = try TestServer { request in
            let reply = Reply.file(TestFile(other, lastModified: Self.date), for: request)
            return isCut && request.range == nil ? reply.gated(after: Self.cut, gate) : reply
        }
        let server = try TestServer { request in
            request.sequence == 1 ? .file(Self.file, for: request).cut(after: Self.cut) : .status(404)
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let download = test.manager.download(Self.request(server, mirror))
        if isCut {
            try await gate.reached()
            // Both parts are there while the mirror's is not whole.
            try await eventually("the mirror's half is written") { test.names.count == 2 }
            #expect(test.names.allSatisfy { $0.hasSuffix(".part") })
            #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<Self.cut]) == nil)
            gate.open()
        }
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: other) == nil)
        #expect(test.names == ["f"])
    }

    @Test func deletingRemovesBothParts() async throws {
        let gate = try Gate()
        let mirror = try TestServer { request in
            .file(TestFile(Self.bytes, lastModified: Self.date), for: request).gated(after: Self.cut, gate)
        }
        let server = try TestServer { request in
            request.sequence == 1 ? .file(Self.file, for: request).cut(after: Self.cut) : .status(404)
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let download = test.manager.download(Self.request(server, mirror))
        try await gate.reached()
        download.cancel()
        _ = try await download.ended()
        try await eventually("the partial files are closed") {
            try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
        }
        #expect(Set(try test.manager.storedDownloads().map(\.file.lastPathComponent)) == ["f"])
        try test.manager.delete(server.url("/f"))
        #expect(test.names.isEmpty)
    }

    /// With a checksum the end would show it, but the half that is known would be lost.
    @Test func withAChecksumAPageCostsNothingOfThePart() async throws {
        let mirror = try TestServer { Answer.page.reply(to: $0) }
        let server = try TestServer { request in
            switch request.sequence {
            case 1: .file(Self.file, for: request).cut(after: Self.cut)
            case 2: .status(503)
            default: .file(Self.file, for: request)
            }
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        var digest = SHA256()
        Self.bytes.withUnsafeBytes { digest.update($0) }
        let found = digest.finish()
        var request = Self.request(server, mirror)
        request.checksum = Checksum(.sha256, digest: try #require(found))
        _ = try await test.manager.download(request).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        #expect(server.bytesSent < Self.size + 200_000)
    }

    @Test(arguments: [false, true]) func aFinishedFileIsNotReplacedByAnotherSource(overwrites: Bool) async throws {
        let mirror = try TestServer { Answer.page.reply(to: $0) }
        let server = try TestServer { request in
            request.sequence == 1 ? .file(Self.file, for: request) : .status(503)
        }
        let test = try TestManager {
            $0.retry = .never
            $0.connectionsPerDownload = .exactly(1)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        var request = Self.request(server, mirror)
        request.checksForUpdate = !overwrites
        request.replacesExistingFile = overwrites
        #expect(try await test.manager.download(request).ended().error?.statusCode == 503)
        #expect(mirror.requests.isEmpty && test.names == ["f"])
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
    }
}
