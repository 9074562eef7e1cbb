import Foundation
import Spate
import TestSupport
import Testing

/// A redirect in the middle of a resume (ResumptionRules.md 56 and 57).
@Suite(.takesTurns) struct RedirectResumeTests {
    private static let bytes = FaultStory.bytes
    private static let other = TestBytes.random(count: 300_000, seed: 2)

    /// `/f` leads to `/real?token=1`, then to `/real?token=2` and so on. The first answer there breaks off.
    private func story(
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) throws -> (server: TestServer, test: TestManager) {
        let server = try TestServer { request in
            if request.path == "/f" { return .redirect(to: "/real?token=\(request.visit)") }
            let right = Reply.file(FaultStory.file, for: request)
            return request.sequence == 2 ? right.cut(after: FaultStory.held) : bend(request, right)
        }
        return (server, try TestManager())
    }

    @Test func rangeAndIfRangeGoAlongThroughRedirects() async throws {
        let (server, test) = try story { $1 }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil && test.names == ["f"])
        #expect(server.requests.map(\.target) == ["/f", "/real?token=1", "/f", "/real?token=2"])
        #expect(server.requests.suffix(2).allSatisfy { $0.range == .rest(from: 100_000) && $0.ifRange == "\"v1\"" })
    }

    @Test func rangeAndIfRangeGoAlongToAnotherServer() async throws {
        let mirror = try TestServer { .file(FaultStory.file, for: $0) }
        let server = try TestServer { request in
            request.sequence == 1
                ? .file(FaultStory.file, for: request).cut(after: FaultStory.held)
                : .redirect(to: mirror.url("/copy").absoluteString)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        #expect(mirror.requests.map(\.range) == [.rest(from: 100_000)] && mirror.requests.first?.ifRange == "\"v1\"")
    }

    /// What the answer behind the redirect is, and whether it makes the download start over.
    private static let answers: [(name: String, bend: @Sendable (Reply) -> Reply)] = [
        ("21: starts lower", { $0.replacingField("Content-Range", "bytes 99999-299998/300000") }),
        ("21: starts higher", { $0.replacingField("Content-Range", "bytes 100001-300000/300001") }),
        ("22: another total", { $0.replacingField("Content-Range", "bytes 95904-299999/300001") }),
        ("23: another tag", { $0.replacingField("ETag", "\"v2\"") }),
    ]

    @Test(arguments: answers.indices) func theAnswerBehindARedirectIsJudged(index: Int) async throws {
        let (server, test) = try story { request, reply in
            request.range == nil ? .file(Self.other, etag: "\"v2\"", for: request) : Self.answers[index].bend(reply)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.other) == nil, "\(Self.answers[index].name)")
        #expect(server.requests.last?.range == nil)
    }

    @Test func aRangeWithoutATagBehindARedirectIsCompared() async throws {
        let (server, test) = try story { $1.removingField("ETag") }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        #expect(server.requests.last?.range == "bytes=\(FaultStory.held - 65_536)-")
    }

    @Test(arguments: [401, 403, 410]) func aSignedURLThatExpiredIsAskedForOnceMore(status: Int) async throws {
        let (server, test) = try story { $0.target == "/real?token=2" ? .status(status, body: "expired") : $1 }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        let targets = ["/f", "/real?token=1", "/f", "/real?token=2", "/f", "/real?token=3"]
        #expect(server.requests.map(\.target) == targets && server.requests.last?.range == .rest(from: 100_000))
    }

    @Test func anExpiredSignedURLIsNotAskedForAThirdTime() async throws {
        let (server, test) = try story { _, _ in .status(403, body: "expired") }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .httpStatus && error.statusCode == 403 && error.keptPartialFile && !error.isRetryable)
        #expect(server.requests.count == 6 && test.names == ["f.part"])
        #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<FaultStory.held]) == nil)
    }

    @Test func aSignedURLThatExpiresBetweenTwoRangesIsAskedForOnceMore() async throws {
        // Each signed URL is good for one request, and each range ends early.
        let (server, test) = try story { request, _ in
            guard request.visit == 1 else { return .status(403, body: "expired") }
            return Self.range(of: 50_000, for: request)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
    }

    @Test func aSignedURLForOneUseSurvivesARestart() async throws {
        let (server, test) = try story { request, reply in
            guard request.visit == 1 else { return .status(403, body: "used") }
            return request.range == nil ? reply : reply.replacingField("Content-Range", "bytes 9-5/300000")
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
        #expect(server.requests.suffix(2).map(\.target) == ["/f", "/real?token=3"])
    }

    @Test func aSignedURLThatLeadsBackWhenItHasExpiredIsNoLoop() async throws {
        let (server, test) = try story { request, _ in
            guard request.visit == 1 else { return .redirect(to: "/f") }
            return Self.range(of: 50_000, for: request)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.bytes) == nil)
    }

    /// The first bytes of what is asked for: a range that ends early.
    private static func range(of length: Int, for request: ReceivedRequest) -> Reply {
        let start = Int(request.range?.dropFirst(6).dropLast() ?? "") ?? 0
        let end = min(start + length, 300_000)
        let range = "Content-Range: bytes \(start)-\(end - 1)/300000"
        let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", range, "Content-Length: \(end - start)"]
        return .bytes(head, Array(Self.bytes[start..<end]))
    }

    @Test func withoutARedirectA403Stays() async throws {
        let story = try FaultStory.interrupted { _, _ in .status(403, body: "no") }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest(from: 100_000)])
    }
}
