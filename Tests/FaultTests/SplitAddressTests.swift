import Foundation
import Spate
import TestSupport
import Testing

/// Where helpers ask, what they send there, and how many may come (ResumptionRules.md S14, S17 and S18).
@Suite(.mostlyWaits) struct SplitAddressTests {
    /// Slow enough that all connections are in use at one time, on a busy machine too.
    private static let bytesPerSecond = 2 << 20

    private static func right(_ request: ReceivedRequest) -> Reply { .file(SplitStory.file, for: request) }

    @Test func fourConnectionsBringTheFileInPartsThatDoNotOverlap() async throws {
        let gate = try Gate()
        let story = try SplitStory(bytesPerSecond: 1 << 20) {
            Self.right($0).gated(after: 400_000, gate)
        }
        async let end = story.end()
        try await gate.reached(times: SplitStory.connections)
        #expect(story.server.mostAtOnce == SplitStory.connections)
        gate.open()
        _ = try await end.get()
        let requests = story.server.requests
        #expect(requests.first?.range == nil)
        #expect(requests.dropFirst().allSatisfy { $0.isForGap && $0.ifRange == "\"v1\"" })
        let parts = requests.dropFirst().prefix(3).map(\.asked).sorted { $0.lowerBound < $1.lowerBound }
        // But for the 4 KiB that are compared.
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound - $1.lowerBound == 4_096 })
        // What a connection is sent beyond the end that its part got later is in vain.
        #expect(story.server.bytesSent <= SplitStory.bytes.count + requests.count << 18)
    }

    @Test func automaticHelpersLeaveAHostSixConnections() async throws {
        let rates = ConnectionRates(bytesPerSecond: Self.bytesPerSecond)
        let file = TestFile(TestBytes.random(count: 12 << 20), etag: "\"v1\"")
        let server = try TestServer { Reply.file(file, for: $0).paced(by: rates, for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = 4 }
        for download in test.manager.download((0..<4).map { server.url("/\($0)") }) {
            _ = try await download.ended().get()
        }
        #expect((5...6).contains(server.mostAtOnce), "\(server.mostAtOnce) at once")
        for name in test.names { #expect(TestBytes.difference(try test.bytes(name), from: file.bytes) == nil) }
    }

    @Test(arguments: ["/elsewhere", "other"]) func helpersThatAreSentElsewhereDoNoHarm(place: String) async throws {
        let other = try TestServer(Self.right)
        let target = place == "other" ? other.url("/f").absoluteString : place
        let story = try SplitStory { request in
            request.isForGap && request.path == "/f" ? .redirect(to: target) : Self.right(request)
        }
        _ = try await story.end().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
    }

    /// The address that answered the first connection is no good for helpers; a new one is had at the original URL.
    @Test func anAddressThatExpiresIsAskedForOnceMore() async throws {
        try await together([401, 403, 404, 410]) { try await expectSecondAddress(after: $0) }
    }

    private func expectSecondAddress(after code: Int) async throws {
        let story = try SplitStory("\(code)", bytesPerSecond: Self.bytesPerSecond) { request in
            switch request.target {
            case "/f": .redirect(to: "/signed?\(request.visit)")
            case "/signed?1" where request.isForGap: .status(code)
            default: Self.right(request)
            }
        }
        _ = try await story.end().get()
        let requests = story.server.requests
        #expect(requests.dropFirst(2).contains { $0.target == "/signed?1" }, "\(code)")
        #expect(
            requests.contains { $0.isForGap && $0.path == "/signed" && story.server.bytesSent(for: $0) > 0 },
            "\(code)"
        )
        #expect(
            requests.allSatisfy { $0.range == nil || $0.isForGap },
            "\(code): the first connection was disturbed"
        )
    }

    @Test(arguments: [401, 403, 404, 410])
    func addressesThatAreNoGoodAtAllLeaveTheFirstConnectionAlone(code: Int) async throws {
        let story = try SplitStory { request in
            if request.isForGap { return .status(code) }
            return request.path == "/f" ? .redirect(to: "/signed") : Self.right(request)
        }
        _ = try await story.end().get()
        // Two failures in a row are enough, each with a second request at the original URL. Three ask at once, and one
        // may have followed the first failure.
        #expect(story.server.requests.count { $0.isForGap } <= 8)
        let requests = story.server.requests
        #expect(requests.allSatisfy { $0.range == nil || $0.isForGap }, "\(requests.map { $0.range ?? $0.path })")
    }

    @Test func credentialsGoWithHelpersToTheirOriginAndNotBeyond() async throws {
        let rates = ConnectionRates(bytesPerSecond: Self.bytesPerSecond)
        let other = try TestServer { Self.right($0).paced(by: rates, for: $0) }
        for isRedirected in [false, true] {
            let target = other.url("/f").absoluteString
            let story = try SplitStory(bytesPerSecond: Self.bytesPerSecond) {
                isRedirected ? .redirect(to: target) : Self.right($0)
            }
            _ = try await story.end { request in
                request.headers = ["Authorization": "Bearer x", "X-Mine": "m", "X-Open": "o"]
                request.privateHeaders = ["x-mine"]
            }.get()
            for request in story.server.requests {
                #expect(request.fields["Authorization"] == "Bearer x" && request.fields["X-Mine"] == "m")
            }
            let asked = isRedirected ? other.requests : story.server.requests
            #expect(asked.contains { $0.isForGap } && asked.allSatisfy { $0.fields["X-Open"] == "o" })
        }
        #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil && $0.fields["X-Mine"] == nil })
    }

    /// A server that takes two connections of a client and refuses more.
    @Test func aServerThatRefusesMoreIsNotHammered() async throws {
        let refusals: [(code: Int, wait: String?)] = [(429, nil), (429, "0"), (503, nil), (503, "0")]
        try await together(refusals) { try await expectPatience(after: $0.code, retryAfter: $0.wait) }
    }

    private func expectPatience(after code: Int, retryAfter wait: String?) async throws {
        let gate = try Gate()
        let refused = Watched<Set<Int>>([])
        let story = try SplitStory(bytesPerSecond: Self.bytesPerSecond) { request in
            guard request.atOnce > 2 else { return Self.right(request).gated(after: 400_000, gate) }
            refused.update { _ = $0.insert(request.sequence) }
            let reply = Reply.status(code).closing
            return wait.map { reply.addingField("Retry-After", $0) } ?? reply
        }
        async let end = story.end()
        try await gate.reached(times: 2)
        let count = try await refused.wait(for: "two refusals", until: { $0.count >= 2 }).count
        // While two are in use nobody asks. That cannot be waited for: a busy machine makes this weaker, never wrong.
        try await Task.sleep(for: .milliseconds(500))
        let comment: Comment = "after \(code) with Retry-After: \(wait ?? "none")"
        #expect(count == 2 && story.server.requests.count == 4, comment)
        gate.open()
        _ = try await end.get()
        // One that was cut may still be seen when the next one asks.
        #expect(refused.value.count <= 6, "\(refused.value.count) refusals \(comment)")
        #expect(story.server.requests.allSatisfy { $0.range == nil || $0.isForGap }, comment)
    }
}
