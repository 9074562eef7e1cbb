import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import Spate

/// What a refusal of one request means for others of its host.
@Suite(.takesTurns) struct HostRefusalTests {
    /// A server that refuses the first request, and a manager that would wait for minutes.
    private func test(
        refusing status: Int = 503,
        wait: String? = "290",
        slots: Int = 1,
        longest: Duration = .seconds(600)
    ) throws -> (TestServer, TestManager) {
        let server = try TestServer { request in
            guard request.path == "/refused", request.visit == 1 else { return .file([1], for: request) }
            let reply = Reply.status(status, body: "busy")
            return wait.map { reply.addingField("Retry-After", $0) } ?? reply
        }
        let test = try TestManager {
            $0.maxConcurrentDownloads = slots
            $0.retry.maximumRetryAfter = longest
            $0.retry.firstDelay = .milliseconds(5)
        }
        return (server, test)
    }

    private func expect(
        _ download: Download,
        _ claim: String,
        _ isRight: @escaping (DownloadState) -> Bool
    ) async throws {
        try await eventually("\(claim), not \(download.state)") { isRight(download.state) }
    }

    @Test(arguments: [429, 503]) func aTimeHoldsForAllDownloadsFromTheHost(status: Int) async throws {
        let (server, test) = try test(refusing: status)
        let other = try TestServer { .file([2], for: $0) }
        let start = Date()
        let refused = test.manager.download(server.url("/refused"))
        let second = test.manager.download(server.url("/second"))
        let elsewhere = test.manager.download(other.url("/elsewhere"))
        try await eventually("it waits for its host") { second.waitsForHost }
        // It holds no slot: the only one is free for another host.
        _ = try await elsewhere.ended().get()
        guard case .waiting(.retry(let date, let error)) = refused.state else {
            Issue.record("not to be retried: \(refused.state)")
            return
        }
        #expect(error.statusCode == status && date.timeIntervalSince(start) >= 290)
        #expect(server.requests.count == 1)
    }

    @Test func aTimeHoldsBeforeTheBodyOfTheRefusalHasCome() async throws {
        let gate = try Gate()
        let server = try TestServer { _ in
            .status(503, fields: ["Retry-After": "290"], body: "busy").gated(after: 2, gate)
        }
        let test = try TestManager()
        let refused = test.manager.download(server.url("/refused"))
        let host = try HTTPURL(server.url("/").absoluteString).origin
        try await eventually("the host is left alone") { test.manager.feed.isQuiet(host) }
        guard case .running = refused.state else {
            Issue.record("the refusal is over: \(refused.state)")
            return
        }
        gate.open()
    }

    @Test func resumingTriesNow() async throws {
        let (server, test) = try test()
        let refused = test.manager.download(server.url("/refused"))
        let second = test.manager.download(server.url("/second"))
        let third = test.manager.download(server.url("/third"))
        try await eventually("it waits for its host") { third.waitsForHost }
        second.resume()
        _ = try await second.ended().get()
        refused.resume()
        _ = try await refused.ended().get()
        // The others still wait.
        try await eventually("it waits for its host") { third.waitsForHost }
        let fourth = test.manager.download(server.url("/fourth"))
        fourth.pause()
        fourth.resume()
        _ = try await fourth.ended().get()
        #expect(server.requests.map(\.path) == ["/refused", "/second", "/refused", "/fourth"])
    }

    @Test func theHostIsAskedAgainWhenTheTimeIsOver() async throws {
        let (server, test) = try test(wait: "1", slots: 3)
        let downloads = test.manager.download([server.url("/refused"), server.url("/a"), server.url("/b")])
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test func theTimeIsNoLongerThanThePolicyAllows() async throws {
        let (server, test) = try test(longest: .milliseconds(50))
        let downloads = test.manager.download([server.url("/refused"), server.url("/a")])
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test(arguments: [true, false])
    func aManagerWithNothingLeftToDoGoesWhileAHostIsQuiet(pauses: Bool) async throws {
        let (server, _) = try test()
        let folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.maxConcurrentDownloads = 1
        var manager: DownloadManager? = DownloadManager(configuration: configuration)
        weak let left = manager
        var downloads = manager?.download([server.url("/refused")] + (0..<5).map { server.url("/\($0)") }) ?? []
        try await eventually("they wait for their host") { downloads[1...].allSatisfy(\.waitsForHost) }
        for download in downloads { pauses ? download.pause() : download.cancel() }
        #expect(manager?.holdings.waiting == 0)
        (manager, downloads) = (nil, [])
        try await eventually("the manager has gone") { left == nil }
    }

    /// What no longer waits for a quiet host is not alone when it is withdrawn, but soon after.
    @Test func aManagerGoesWhenTheLastOthersHaveEnded() async throws {
        let (quiet, _) = try test()
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.maxConcurrentDownloads = 1
        var manager: DownloadManager? = DownloadManager(configuration: configuration)
        weak let left = manager
        var downloads = manager?.download([quiet.url("/refused"), quiet.url("/a")]) ?? []
        try await eventually("it waits for its host") { downloads[1].waitsForHost }
        var others = manager?.download([server.url("/b"), server.url("/c")]) ?? []
        try await gate.reached()
        for download in downloads { download.cancel() }
        gate.open()
        for download in others { _ = try await download.ended().get() }
        #expect(manager?.holdings.waiting == 0)
        (manager, downloads, others) = (nil, [], [])
        try await eventually("the manager has gone") { left == nil }
    }

    @Test func fiveMinutesAreTheMost() async throws {
        let (server, test) = try test(wait: "86400", longest: .seconds(100_000))
        let start = Date()
        let refused = test.manager.download(server.url("/refused"))
        try await expect(refused, "it is to be retried") { if case .waiting(.retry) = $0 { true } else { false } }
        guard case .waiting(.retry(let date, _)) = refused.state else { return }
        let wait = date.timeIntervalSince(start)
        #expect(wait >= 300 && wait <= 301 + Date().timeIntervalSince(start))
    }

    @Test func a503WithoutATimeCountsForItsURLAlone() async throws {
        let (server, test) = try test(wait: nil)
        let downloads = test.manager.download([server.url("/refused"), server.url("/a")])
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test func repeatedRefusalsHalveWhatRunsAtOnce() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            request.visit == 1 ? .status(429, body: "too many").heldBack(by: gate) : .file([1], for: request)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 8 }
        let downloads = test.manager.download((0..<8).map { server.url("/\($0)") })
        try await gate.reached(times: 8)
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
        let later = server.requests.filter { $0.visit > 1 }
        // The first ones may overlap with refusals whose ends the server has not seen.
        #expect(later.count == 8 && later.suffix(3).allSatisfy { $0.atOnce <= 4 })
    }

    @Test func aPolicyThatRetriesNothingHoldsOthersBackAllTheSame() async throws {
        let (server, _) = try test()
        let test = try TestManager {
            $0.maxConcurrentDownloads = 1
            $0.retry = .never
        }
        let downloads = test.manager.download([server.url("/refused"), server.url("/a")])
        #expect(try await downloads[0].ended().error?.statusCode == 503)
        try await eventually("it waits") { downloads[1].waitsForHost }
        downloads[1].cancel()
    }
}
