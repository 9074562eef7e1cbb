import CSystem
import Foundation
import TestSupport
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

    @Test(arguments: [404, 403, 500, 503])
    func whereOneFailsTheNextIsAskedAtOnce(status: Int) async throws {
        let server = try TestServer { _ in .status(status) }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager { $0.retry = RetryPolicy(firstDelay: .hang * 2, maximumDelay: .hang * 2) }
        let file = try await fetch(test, server, mirror).get()
        #expect(file.lastPathComponent == "f" && server.requests.count == 1 && mirror.requests.map(\.target) == ["/g"])
        #expect(try test.bytes("f") == bytes)
        #expect(test.manager.isDownloaded(server.url("/f")) && !test.manager.isDownloaded(mirror.url("/g")))
    }

    @Test func whenAllFailTheErrorIsTheLastOnes() async throws {
        let server = try TestServer { _ in .status(404) }
        let mirror = try TestServer { _ in .status(410) }
        let test = try TestManager()
        let error = try #require(try await fetch(test, server, mirror).error)
        #expect(error.statusCode == 410 && error.message.contains("The other place of the file failed, too."))
        #expect(server.requests.count == 1 && mirror.requests.count == 1)
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
        Handover(tags: ("W/\"v1\"", "W/\"v1\""), expected: 0),
        Handover(tags: (nil, nil), expected: 0),
        Handover(tags: ("\"v1\"", "\"v1\""), isSame: false, expected: 0),
        Handover(tags: ("\"v1\"", "\"v2\""), isChecked: true, expected: cut - overlap),
        Handover(tags: (nil, nil), isChecked: true, expected: cut - overlap),
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

    /// Also without the mirror, and in a later process: the file remembers where its bytes came from.
    @Test(arguments: [true, false]) func bytesOfAMirrorGoOnAtTheOriginAfterAComparison(isSame: Bool) async throws {
        let isBack = Watched(false)
        let content = isSame ? bytes : others
        let server = try TestServer { [file = file(content, "\"v1\"")] request in
            isBack.value ? .file(file, for: request) : .status(404)
        }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] request in
            request.visit == 1 ? .file(file, for: request).cut(after: Self.cut) : .status(404)
        }
        let first = try TestManager { $0.retry = .never }
        _ = try await fetch(first, server, mirror)
        #expect(first.names == ["f.part"])
        isBack.update { $0 = true }
        let test = try TestManager(folder: first.folder)
        let restored = try #require(test.manager.restore().first)
        _ = try await restored.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        let asked = server.requests.dropFirst().map(\.range)
        #expect(asked == ["bytes=\(Self.cut - Self.overlap)-"] + (isSame ? [] : [nil]))
    }

    /// One that goes on at the mirror itself needs no comparison.
    @Test func aMirrorResumesItsOwnBytes() async throws {
        let server = try TestServer { _ in .status(404) }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] request in
            let right = Reply.file(file, for: request)
            return request.visit == 1 ? right.cut(after: Self.cut) : right
        }
        let test = try TestManager()
        _ = try await fetch(test, server, mirror).get()
        #expect(try test.bytes("f") == bytes)
        #expect(mirror.requests.last?.range == .rest(from: Self.cut) && mirror.requests.last?.ifRange == "\"v1\"")
    }

    @Test func whatIsBehindAGapIsDroppedElsewhere() async throws {
        let server = try TestServer { _ in .status(404) }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager()
        var kept = bytes
        kept.replaceSubrange(Self.cut..<300_000, with: repeatElement(0, count: 100_000))
        try Data(kept).write(to: test.folder.url("f.part"))
        let filled = "0-\(Self.cut) 300000-\(Self.size)"
        for (name, text) in [
            ("user.xdg.origin.url", server.url("/f").absoluteString), ("user.spate.total", "\(Self.size)"),
            ("user.spate.durable", filled + " -"), ("user.spate.filled", filled), ("user.spate.validator", "\"v1\""),
        ] {
            #expect(setxattr(test.folder.path("f.part"), name, text, text.utf8.count, 0) == 0)
        }
        _ = try await fetch(test, server, mirror).get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(mirror.requests.map(\.range) == ["bytes=\(Self.cut - Self.overlap)-"])
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

    @Test func mirrorsAreNotPrepared() async throws {
        let server = try TestServer { _ in .status(500) }
        let mirror = try TestServer { [file = file(bytes, nil)] in .file(file, for: $0) }
        let calls = Recorder<Int>()
        let test = try TestManager { configuration in
            configuration.prepare = { request, attempt in
                calls.append(attempt.number)
                var request = request
                request.headers["X-Fresh"] = "hidden"
                return request
            }
        }
        _ = try await fetch(test, server, mirror).get()
        #expect(calls.values == [1])
        #expect(server.requests.map { $0.fields["X-Fresh"] } == ["hidden"])
        #expect(mirror.requests.map { $0.fields["X-Fresh"] } == [nil])
    }

    @Test(arguments: [true, false]) func aRequestThatJoinsBringsItsMirrors(isRestored: Bool) async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            .status(request.sequence == 1 && isRestored ? 404 : 503, body: "no").heldBack(by: gate)
        }
        let mirror = try TestServer { [file = file(bytes, "\"v1\"")] in .file(file, for: $0) }
        let test = try TestManager { $0.retry = .never }
        if isRestored {
            try Data().write(to: test.folder.url("f.part"))
            let origin = server.url("/f").absoluteString
            #expect(setxattr(test.folder.path("f.part"), "user.xdg.origin.url", origin, origin.utf8.count, 0) == 0)
            #expect(test.manager.restore().count == 1)
        } else {
            test.manager.download(server.url("/f"))
        }
        try await server.waitForRequests(1)
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [mirror.url("/g")]
        let download = test.manager.download(request)
        gate.open()
        _ = try await download.ended().get()
        #expect(try test.bytes("f") == bytes)
        #expect(server.requests.count == 1)
    }

    @Test func aMirrorThatIsNoURLIsRefused() async throws {
        let test = try TestManager()
        var request = DownloadRequest(try #require(URL(string: "http://127.0.0.1:9/f")))
        request.mirrors = [try #require(URL(string: "ftp://host/f"))]
        #expect(throws: DownloadError.self) { try request.check() }
        #expect(try await test.manager.download(request).ended().error?.code == .unsupportedScheme)
    }
}
