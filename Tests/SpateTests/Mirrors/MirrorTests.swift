import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// A file that can be had at several places.
@Suite(.takesTurns) struct MirrorTests {
    private static let size = 400_000
    private static let cut = 200_000
    private static let overlap = 65_536
    private let bytes = TestBytes.random(count: size)
    private let others = TestBytes.random(count: size, seed: 2)
    /// Long before the day on which it is served: its tag is a strong one.
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    private func file(_ bytes: [UInt8], _ etag: String?) -> TestFile {
        TestFile(bytes, etag: etag, lastModified: Self.date)
    }

    /// Downloads `/f` of one server, whose mirror is `/g` of another.
    private func fetch(
        _ test: TestManager,
        _ server: TestServer,
        _ mirror: TestServer,
        _ change: (inout DownloadRequest) throws -> Void = { _ in }
    ) async throws -> Result<URL, DownloadError> {
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        try change(&request)
        return try await test.manager.download(request).ended()
    }

    private func checksum(of bytes: [UInt8]) throws -> Checksum {
        var digest = SHA256()
        bytes.withUnsafeBytes { digest.update($0) }
        let found = digest.finish()
        return Checksum(.sha256, digest: try #require(found))
    }

    /// How far the first place gets, what tag and bytes the mirror has, and where in the file its last request begins.
    struct Handover: Sendable {
        let tags: (String?, String?)
        var isSame = true
        var isChecked = false
        let expected: Int
    }

    @Test(arguments: [
        Handover(tags: ("\"v1\"", "\"v1\""), expected: cut - overlap),
        Handover(tags: ("\"v1\"", "\"v2\""), expected: 0),
        Handover(tags: ("\"v1\"", "\"v1\""), isSame: false, expected: 0),
        Handover(tags: ("\"v1\"", "\"v2\""), isChecked: true, expected: cut - overlap),
        Handover(tags: ("\"v1\"", "\"v2\""), isSame: false, isChecked: true, expected: 0),
    ])
    func bytesGoOnElsewhereOnlyIfTheFileIsTheSame(handover: Handover) async throws {
        let server = try TestServer { [file = file(bytes, handover.tags.0)] request in
            request.visit == 1 ? .file(file, for: request).cut(after: Self.cut) : .status(404)
        }
        let content = handover.isSame ? bytes : others
        let mirror = try TestServer { [file = file(content, handover.tags.1)] in .file(file, for: $0) }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        _ = try await fetch(test, server, mirror) { request in
            if handover.isChecked { request.checksum = try checksum(of: content) }
        }.get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        let last = try #require(mirror.requests.last)
        let start = last.range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let asked = mirror.bytesSent(for: last) == Self.size ? 0 : start
        #expect(asked == handover.expected, "\(mirror.requests)")
        #expect(last.ifRange == nil || !handover.isChecked)
        let names = try attributes(of: test.folder.path("f")).keys
        #expect(!names.contains("user.spate.mirror") && !names.contains("user.spate.validator"))
    }

    @Test func secretsGoToNoMirrorOfAnotherOrigin() async throws {
        let other = try TestServer { [file = file(bytes, nil)] in .file(file, for: $0) }
        let server = try TestServer { [file = file(bytes, nil)] request in
            request.path == "/f" ? .status(404) : .file(file, for: request)
        }
        for mirror in [other, server] {
            let test = try TestManager { $0.headers = ["X-Api-Key": "hidden"] }
            _ = try await fetch(test, server, mirror) { request in
                request.url = server.url("/f", authority: "ann:hidden@127.0.0.1")
                request.headers = ["Cookie": "hidden", "X-Mine": "hidden", "X-Open": "open"]
                request.privateHeaders = ["x-mine"]
            }.get()
            let fields = try #require(mirror.requests.last).fields
            for name in ["Authorization", "Cookie", "X-Mine", "X-Api-Key"] {
                #expect((fields[name] == nil) == (mirror === other), "\(name)")
            }
            #expect(fields["X-Open"] == "open")
        }
    }

    @Test(arguments: [false, true]) func aServerMayNameOtherPlacesOfTheFileThatItSends(redirects: Bool) async throws {
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let link = "<\(mirror.url("/g").absoluteString)>; rel=duplicate; pri=1"
        let server = try TestServer { [file = file(bytes, "\"v1\"")] request in
            if redirects, request.path == "/f" { return .redirect(to: "/here") }
            guard request.visit == 1 else { return .status(404) }
            return .file(file, for: request).addingField("Link", link).cut(after: Self.cut)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(mirror.requests.map(\.range) == ["bytes=\(Self.cut - Self.overlap)-"])
    }

    @Test(arguments: [404, 503, 302]) func otherPlacesCountOnlyBesideTheFile(status: Int) async throws {
        let mirror = try TestServer { [file = file(others, "\"v1\"")] in .file(file, for: $0) }
        let link = "<\(mirror.url("/g").absoluteString)>; rel=duplicate"
        let server = try TestServer { request in
            request.path == "/f" && status == 302
                ? .redirect(to: "/here").addingField("Link", link)
                : .status(status == 302 ? 404 : status).addingField("Link", link)
        }
        let test = try TestManager { $0.retry = .never }
        #expect(try await test.manager.download(server.url("/f")).ended().error?.code == .httpStatus)
        #expect(mirror.requests.isEmpty)
    }

    @Test func aPlaceWithAWrongFileIsFollowedByTheNext() async throws {
        let server = try TestServer { [file = file(others, "\"v1\"")] in .file(file, for: $0) }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager()
        _ = try await fetch(test, server, mirror) { $0.checksum = try checksum(of: bytes) }.get()
        #expect(try test.bytes("f") == bytes)
        #expect(mirror.requests.map(\.range) == [nil])
    }

    @Test func aRequestThatJoinsBringsItsMirrors() async throws {
        let gate = try Gate()
        let server = try TestServer { _ in .status(503, body: "no").heldBack(by: gate) }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager { $0.retry = .never }
        test.manager.download(server.url("/f"))
        try await gate.reached()
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        let download = test.manager.download(request)
        gate.open()
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == bytes && server.requests.count == 1)
    }

    /// The bytes of an earlier download are not what the URL has just sent.
    @Test func whatWasThereBeforeDoesNotHoldTheMirrorBack() async throws {
        let server = try TestServer { [file = file(bytes, "\"v1\"")] request in
            request.visit == 1 ? .file(file, for: request).stalled(after: Self.cut) : .status(503)
        }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let first = test.manager.download(server.url("/f"))
        try await eventually("some bytes") { first.progress.receivedBytes == Self.cut }
        first.cancel()
        try await test.filesAreClosed()
        _ = try await fetch(test, server, mirror).get()
        #expect(try test.bytes("f") == bytes)
        #expect(server.requests.count == 2, "The URL was asked once more before its mirror.")
        #expect(mirror.requests.map(\.range) == ["bytes=\(Self.cut - Self.overlap)-"])
    }

    /// The URL has told the size before anybody named a mirror.
    @Test func aMirrorThatJoinsMustHaveTheSizeOfTheURL() async throws {
        let gate = try Gate()
        let server = try TestServer { [file = file(bytes, nil)] in
            .file(TestFile(file.bytes), for: $0).gated(after: Self.cut, gate).cut(after: Self.cut + 1)
        }
        let mirror = try TestServer { _ in .status(200, fields: ["Content-Type": "text/html"], body: "Sign in.") }
        let test = try TestManager {
            $0.retry = .never
            $0.connectionsPerDownload = .exactly(1)
        }
        let first = test.manager.download(server.url("/f"))
        try await eventually("some bytes") { first.progress.receivedBytes == Self.cut }
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        #expect(test.manager.download(request) === first)
        gate.open()
        let result = try await first.ended()
        #expect(result.error?.code == .badResponse && test.names == ["f.part"], "\(result)")
    }

    @Test func aMirrorThatIsNoURLIsRefused() async throws {
        let test = try TestManager()
        var request = DownloadRequest(try #require(URL(string: "http://127.0.0.1:9/f")))
        request.mirrors = [try #require(URL(string: "ftp://host/f"))]
        #expect(throws: DownloadError.self) { try request.check() }
        #expect(try await test.manager.download(request).ended().error?.code == .unsupportedScheme)
    }
}
