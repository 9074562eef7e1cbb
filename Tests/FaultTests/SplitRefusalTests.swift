import Foundation
import Locking
import Spate
import TestSupport
import Testing

/// A server that does not want a second connection (ResumptionRules.md 109, S35 and S36).
@Suite(.mostlyWaits) struct SplitRefusalTests {
    private static let bytesPerSecond = 16 << 20

    /// From the second connection on each request is refused, but the first one is answered to its end.
    @Test(arguments: [403, 429]) func theFirstConnectionBringsTheFileBehindABan(status: Int) async throws {
        let sizes = [
            8 << 20, 12 << 20, 14 << 20 + 333_333, 15 << 20 + 65_535, 16 << 20, 16 << 20 + 128 << 10,
            16 << 20 + 1, 18 << 20, 22 << 20 + 700_001,
        ]
        try await together(sizes) { try await Self.bringTheFile(of: $0, behind: status) }
    }

    private static func bringTheFile(of size: Int, behind status: Int) async throws {
        let file = TestFile(TestBytes.random(count: size), etag: "\"v1\"")
        let rates = ConnectionRates(bytesPerSecond: Self.bytesPerSecond)
        let server = try TestServer { request in
            guard request.sequence > 1 else { return .file(file, for: request).paced(by: rates, for: request) }
            let reply = Reply.status(status)
            return status == 429 ? reply.addingField("Retry-After", "290") : reply
        }
        let test = try TestManager {
            $0.connectionsPerDownload = size.isMultiple(of: 2) ? .automatic : .exactly(3)
            $0.retry.maximumRetryAfter = .seconds(290)
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: file.bytes) == nil, "\(size)")
        let requests = server.requests
        #expect(
            requests.count <= 5 && requests.dropFirst().allSatisfy { $0.isForGap },
            "\(requests.map(\.range)) of \(size)"
        )
    }

    enum Refusal: CaseIterable {
        case status403, status429, status503, reset

        var reply: Reply {
            switch self {
            case .status403: .status(403)
            case .status429: .status(429)
            case .status503: .status(503)
            case .reset: .hangUp
            }
        }
    }

    /// The first connection is cut, too, and its next two requests are refused.
    @Test(arguments: Refusal.allCases) func aRefusalAfterAHelperIsRetriedAlone(refusal: Refusal) async throws {
        let gate = try Gate()
        let refused = Locked(0)
        let story = try SplitStory { request in
            let right = Reply.file(SplitStory.file, for: request)
            if request.sequence == 1 { return right.gated(after: 1_000_000, gate).cut(after: 1_100_000) }
            gate.open()
            if request.isForGap { return refusal.reply }
            let count = refused.withLock { count in
                count += 1
                return count
            }
            return count <= 2 ? refusal.reply : right
        }
        _ = try await story.end().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        let requests = story.server.requests
        // Three helpers at once, perhaps one before the first connection is cut, and no more for any file.
        #expect(requests.count { $0.isForGap } <= 4)
        let second = story.test.manager.download(story.server.url("/g"))
        _ = try await second.ended().get()
        #expect(story.server.requests.count == requests.count + 1)
    }

    /// The URL is on the same host: it is asked again, too.
    @Test func aBanForAMirrorsHelpersIsNotTheEndOfTheURL() async throws {
        let gate = try Gate()
        let story = try SplitStory { request in
            let right = Reply.file(SplitStory.file, for: request)
            switch (request.path, request.visit) {
            case ("/f", 1): return .status(500)
            case ("/f", 2): return .status(403)
            case ("/f", _): return right
            case (_, 1): return right.gated(after: 1_000_000, gate).cut(after: 1_100_000)
            default:
                gate.open()
                return .status(403)
            }
        }
        _ = try await story.end { $0.mirrors = [story.server.url("/mirror")] }.get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
    }

    @Test func a403ThatNoHelperPrecededIsFinal() async throws {
        let story = try FaultStory.resumed { _, _ in .status(403) }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest])
    }

    /// A file with gaps: the request for the first one ends before the time is over that a helper was told to wait.
    @Test func theFirstConnectionWaitsToo() async throws {
        let gate = try Gate()
        let refused = Locked<ContinuousClock.Instant?>(nil)
        let isBusy = Locked(false)
        let story = try SplitStory(bytesPerSecond: 2 << 20) {
            $0.retry.maximumRetryAfter = .seconds(5)
        } answering: { request in
            let right = Reply.file(SplitStory.file, for: request)
            if !isBusy.withLock({ $0 }) { return right.gated(after: 600_000, gate) }
            guard request.atOnce > 1, refused.withLock({ $0 == nil }) else { return right }
            refused.withLock { $0 = request.receivedAt }
            return Reply.status(429).addingField("Retry-After", "1")
        }
        let download = story.test.manager.download(story.server.url("/f"))
        try await gate.reached(times: SplitStory.connections)
        download.pause()
        try await eventually("the end of all connections") { story.server.openConnections == 0 }
        let before = story.server.requests.count
        isBusy.withLock { $0 = true }
        gate.open()
        // A download that the user resumes may ask earlier, a new one may not.
        download.cancel()
        _ = try await download.ended()
        var request = DownloadRequest(story.server.url("/f"))
        request.connections = .exactly(2)
        _ = try await story.test.manager.download(request).ended().get()
        #expect(SplitStory.version(of: try story.test.bytes("f")) == 1)
        let start = try #require(refused.withLock { $0 })
        let later = story.server.requests.dropFirst(before + 2).map(\.receivedAt)
        #expect(!later.isEmpty && later.allSatisfy { $0 - start >= .seconds(1) }, "\(later.map { $0 - start })")
    }

    /// The host that redirects lead to has asked for a second's pause. Nobody asks it before, and the only slot is free.
    @Test func noRequestFollowsARedirectToAHostThatHasAskedToWait() async throws {
        let busy = try TestServer { request in
            guard request.path == "/refused", request.visit == 1 else { return .file([1], for: request) }
            return Reply.status(503).addingField("Retry-After", "1")
        }
        let target = busy.url("/target").absoluteString
        let server = try TestServer { request in
            request.path == "/away" ? .redirect(to: target) : .file([2], for: request)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let refused = test.manager.download(busy.url("/refused"))
        let redirected = test.manager.download(server.url("/away"))
        let other = test.manager.download(server.url("/other"))
        for download in [other, redirected, refused] { _ = try await download.ended().get() }
        let times = busy.requests.map(\.receivedAt)
        #expect(times.count == 3 && times.dropFirst().allSatisfy { $0 - times[0] >= .seconds(1) })
        #expect(server.requests.map(\.path).prefix(2) == ["/away", "/other"])
    }
}
