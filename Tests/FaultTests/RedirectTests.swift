import Foundation
import Spate
import SpateTestSupport
import Testing

/// Redirects, at the beginning and in the middle of a resume (ResumptionRules.md 51 to 58). Which are followed is in
/// RedirectRulesTests.
@Suite(.takesTurns) struct RedirectTests {
    private static let bytes = FaultStory.bytes

    @Test(arguments: ["ftp://127.0.0.1/g", "/f", "", "http://a b/"])
    func aRedirectThatLeadsNowhereIsRefusedBeforeAnyRequest(location: String) async throws {
        let story = try FaultStory { _, _ in .redirect(to: location) }
        let error = try await story.fails(.redirect, keeping: 0, asking: [nil])
        #expect(error.statusCode == 302 && story.server.connectionCount == 1)
    }

    /// `/f` leads to `/real?token=1`, then to `/real?token=2` and so on. The first answer there breaks off. Expects the file
    /// after requests for these targets, if any are given.
    private func publish(
        asking targets: [String] = [],
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) async throws {
        let story = try FaultStory { request, right in
            if request.path == "/f" { return .redirect(to: "/real?token=\(request.visit)") }
            return request.sequence == 2 ? right.cut(after: FaultStory.held) : bend(request, right)
        }
        _ = try await story.run().result.get()
        #expect(TestBytes.difference(try story.test.bytes("f"), from: Self.bytes) == nil && story.test.names == ["f"])
        if targets.isEmpty { return }
        #expect(story.server.requests.map(\.target) == ["/f", "/real?token=1"] + targets)
        for request in story.server.requests.dropFirst(2) {
            #expect(request.range == .rest && request.ifRange == "\"v1\"")
        }
    }

    @Test func rangeAndIfRangeGoAlongThroughRedirects() async throws {
        try await publish(asking: ["/f", "/real?token=2"]) { $1 }
    }

    @Test(arguments: [401, 403, 410]) func aSignedURLThatExpiredIsAskedForOnceMore(status: Int) async throws {
        try await publish(asking: ["/f", "/real?token=2", "/f", "/real?token=3"]) {
            $0.target == "/real?token=2" ? .status(status, body: "expired") : $1
        }
    }

    @Test func anExpiredSignedURLIsNotAskedForAThirdTime() async throws {
        let story = try FaultStory { request, right in
            if request.path == "/f" { return .redirect(to: "/real") }
            return request.sequence == 2 ? right.cut(after: FaultStory.held) : .status(403, body: "expired")
        }
        let asked: [String?] = [nil, nil, .rest, .rest, .rest, .rest]
        let error = try await story.fails(.httpStatus, keeping: FaultStory.held, asking: asked)
        #expect(error.statusCode == 403)
    }

    /// Each signed URL is good for one request, and each range ends early.
    @Test(arguments: [false, true])
    func aSignedURLThatExpiresBetweenTwoRangesIsAskedForAgain(leadsBack: Bool) async throws {
        try await publish { request, _ in
            if request.visit > 1 { return leadsBack ? .redirect(to: "/f") : .status(403, body: "expired") }
            let start = Int(request.range?.dropFirst(6).dropLast() ?? "") ?? 0
            let end = min(start + 50_000, 300_000)
            let range = "Content-Range: bytes \(start)-\(end - 1)/300000"
            let head = ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", range, "Content-Length: \(end - start)"]
            return .bytes(head, Array(Self.bytes[start..<end]))
        }
    }

    @Test func aSignedURLForOneUseSurvivesARestart() async throws {
        try await publish { request, reply in
            guard request.visit == 1 else { return .status(403, body: "used") }
            return request.range == nil ? reply : reply.replacingField("Content-Range", "bytes 9-5/300000")
        }
    }
}
