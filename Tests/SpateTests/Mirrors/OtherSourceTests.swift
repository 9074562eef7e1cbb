import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// Another source than the origin adds to what that has sent, or begins anew beside it; it never takes its place.
@Suite(.takesTurns) struct OtherSourceTests {
    private static let size = 8 << 20
    private static let cut = size / 2
    private static let bytes = TestBytes.random(count: size)
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)
    private static let file = TestFile(bytes, etag: "\"v1\"", lastModified: date)

    /// What a mirror that has another file answers. Others are in `ElsewhereTests`.
    enum Answer: CaseIterable, Sendable {
        case page, partOfAnotherTotal

        func reply() -> Reply {
            switch self {
            case .page: .status(200, fields: ["Content-Type": "text/html"], body: "<html>Please sign in.</html>")
            case .partOfAnotherTotal:
                .bytes(
                    [
                        "HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Length: 100",
                        "Content-Range: bytes 4128768-4128867/9000000",
                    ],
                    Array(OtherSourceTests.bytes[..<100])
                )
            }
        }
    }

    private static func request(_ server: TestServer, _ mirror: TestServer) -> DownloadRequest {
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        return request
    }

    /// An origin that cuts and is gone.
    private func cutting() throws -> TestServer {
        try TestServer { request in
            request.sequence == 1 ? .file(Self.file, for: request).cut(after: Self.cut) : .status(404)
        }
    }

    @Test(arguments: Answer.allCases) func whatIsNotTheFileIsRefusedAndThePartStays(answer: Answer) async throws {
        let mirror = try TestServer { _ in answer.reply() }
        let server = try cutting()
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let error = try await test.manager.download(Self.request(server, mirror)).ended().error
        #expect(error?.code == .badResponse, "\(String(describing: error))")
        #expect(test.names == ["f.part"])
        #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<Self.cut]) == nil)
    }

    /// It answers ranges, or sends the whole again.
    @Test(arguments: [false, true])
    func aMirrorNeedNotStateTheSizeUnderAChecksum(servesRanges: Bool) async throws {
        let mirror = try TestServer { request in
            let reply = servesRanges ? Reply.file(Self.file, for: request) : .status(200, body: Self.bytes)
            guard request.range != nil, servesRanges else { return reply.chunked() }
            let start = Self.cut - 65_536
            return reply.chunked().replacingField("Content-Range", "bytes \(start)-\(Self.size - 1)/*")
        }
        let server = try cutting()
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        var request = Self.request(server, mirror)
        var digest = SHA256()
        Self.bytes.withUnsafeBytes { digest.update($0) }
        let found = digest.finish()
        request.checksum = Checksum(.sha256, digest: try #require(found))
        _ = try await test.manager.download(request).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil && test.names == ["f"])
    }

    /// A mirror without tags has the same size: nothing shows that it has the same file, but the user named it.
    @Test(arguments: [false, true])
    func aNamedMirrorBeginsAnewBesideThePartAndDeletingRemovesBoth(isDeleted: Bool) async throws {
        let other = TestBytes.random(count: Self.size, seed: 2)
        let gate = try Gate()
        let mirror = try TestServer { request in
            let reply = Reply.file(TestFile(other, lastModified: Self.date), for: request)
            return request.range == nil ? reply.gated(after: Self.cut, gate) : reply
        }
        let server = try cutting()
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let download = test.manager.download(Self.request(server, mirror))
        try await gate.reached()
        // Both parts are there while the mirror's is not whole.
        try await eventually("the mirror's half is written") { test.names.count == 2 }
        #expect(test.names.allSatisfy { $0.hasSuffix(".part") })
        #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<Self.cut]) == nil)
        #expect(Set(try test.manager.storedDownloads().map(\.file.lastPathComponent)) == ["f"])
        if isDeleted {
            download.cancel()
            try await eventually("the partial files are closed") {
                try test.manager.storedDownloads().allSatisfy { !$0.isInUse }
            }
            try test.manager.delete(server.url("/f"))
            #expect(test.names.isEmpty)
        } else {
            gate.open()
            _ = try await download.ended().get()
            #expect(TestBytes.difference(try test.bytes("f"), from: other) == nil && test.names == ["f"])
        }
    }

    @Test(arguments: [false, true]) func aFinishedFileIsNotReplacedByAnotherSource(overwrites: Bool) async throws {
        let mirror = try TestServer { _ in Answer.page.reply() }
        let server = try TestServer { $0.sequence == 1 ? .file(Self.file, for: $0) : .status(503) }
        let test = try TestManager {
            $0.retry = .never
            $0.connectionsPerDownload = .exactly(1)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        var request = Self.request(server, mirror)
        (request.checksForUpdate, request.replacesExistingFile) = (!overwrites, overwrites)
        #expect(try await test.manager.download(request).ended().error?.statusCode == 503)
        #expect(mirror.requests.isEmpty && test.names == ["f"])
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
    }
}
