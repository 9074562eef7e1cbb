import Foundation
import HTTPResumption
import Locking
import TestSupport
import Testing

@testable import Spate

/// How many connections there are to one host.
@Suite(.mostlyWaits) struct HostLimitTests {
    private func test(slots: Int, perHost: Int) throws -> SilentManager {
        let test = try SilentManager(maxConcurrentDownloads: slots, maxConnectionsPerHost: perHost)
        test.transport.letGo()
        return test
    }

    private func expect(_ downloads: [Download], _ standings: [Standing]) async throws {
        try await eventually("\(standings), not \(downloads.map { Standing($0) })") {
            downloads.map { Standing($0) } == standings
        }
    }

    @Test func downloadsFromOtherHostsPassThoseThatWaitForTheirs() async throws {
        let test = try test(slots: 3, perHost: 1)
        let urls = [
            test.url("1", host: "a.test"), test.url("2", host: "a.test"), test.url("3", host: "a.test"),
            test.url("1", host: "b.test"), test.url("1", host: "a.test:8080"), test.url("1", host: "c.test"),
        ]
        let downloads = test.manager.download(urls)
        try await expect(
            downloads,
            [.running, .waitsForHost, .waitsForHost, .running, .running, .waitsForSlot]
        )
        // Those of a host run in the order in which they came.
        downloads[0].cancel()
        try await expect(downloads, [.cancelled, .running, .waitsForHost, .running, .running, .waitsForSlot])
        downloads[3].cancel()
        try await expect(downloads, [.cancelled, .running, .waitsForHost, .cancelled, .running, .running])
    }

    /// Its attempt may have been handed to the queue a moment before.
    @Test func oneThatIsToBeTriedNowIsNotForgotten() async throws {
        let test = try test(slots: 2, perHost: 1)
        let downloads = test.manager.download([test.url("1"), test.url("2")])
        try await expect(downloads, [.running, .waitsForHost])
        test.manager.feed.queue.isSuspended = true
        downloads[0].cancel()
        test.transport.letGo()
        try await eventually("the other one is handed over") {
            downloads[1].core.withLock { $0.operation != nil }
        }
        downloads[1].resume()
        test.manager.feed.queue.isSuspended = false
        try await expect(downloads, [.cancelled, .running])
    }

    @Test func theEventsSayWhyADownloadWaits() async throws {
        let test = try test(slots: 2, perHost: 1)
        let downloads = test.manager.download([test.url("1"), test.url("2")])
        try await withDeadline {
            for await event in downloads[1].events {
                if case .state(.waiting(.slot)) = event, downloads[1].waitsForHost { break }
            }
        }
        #expect(downloads[1].operation != nil)
    }

    @Test func aLongLineOfOneHostIsPassedOnce() async throws {
        let test = try test(slots: 3, perHost: 2)
        let downloads = test.manager.download((0..<20_000).map { test.url("\($0)", host: "a.test") })
        let other = test.manager.download(test.url("1", host: "b.test"))
        try await expect(
            [downloads[0], downloads[1], downloads[2], other],
            [.running, .running, .waitsForHost, .running]
        )
        try await test.transport.started.wait(until: { $0 == 3 })
        #expect(test.manager.feed.queue.operationCount == 3)
        for index in 0..<100 {
            downloads[index].cancel()
            try await test.transport.started.wait(until: { $0 >= 4 + index })
        }
        try await expect(Array(downloads[100...102]), [.running, .running, .waitsForHost])
        test.manager.cancelAll()
        try await eventually("nothing is held") { test.manager.holdings == DownloadManager.Holdings() }
    }

    @Test func whatNoLongerWaitsIsForgotten() async throws {
        let test = try test(slots: 2, perHost: 1)
        let downloads = test.manager.download((0..<200).map { test.url("\($0)") })
        try await expect([downloads[0], downloads[1]], [.running, .waitsForHost])
        for download in downloads[1..<199] { download.pause() }
        downloads[0].cancel()
        try await expect([downloads[1], downloads[199]], [.paused, .running])
        downloads[1].resume()
        downloads[199].cancel()
        try await expect([downloads[1]], [.running])
    }

    @Test func anOperationThatIsAskedForWaitsForTheHostToo() async throws {
        let test = try test(slots: 3, perHost: 1)
        let first = test.manager.download(test.url("first"))
        try await test.transport.started.wait(until: { $0 == 1 })
        test.manager.feed.queue.isSuspended = true
        let third = test.manager.download(test.url("third", host: "b.test"))
        let second = test.manager.download(test.url("second"))
        let operation = second.operation
        test.manager.feed.queue.isSuspended = false
        try await expect([first, second, third], [.running, .waitsForHost, .running])
        try await eventually("its operation has finished") { operation?.isFinished ?? true }
        first.cancel()
        try await expect([second], [.running])
    }

    @Test func askingForOperationsChangesNeitherTheOrderNorTheAttempts() async throws {
        let test = try test(slots: 3, perHost: 1)
        let downloads = test.manager.download((0..<4).map { test.url("\($0)") })
        try await expect(downloads, [.running, .waitsForHost, .waitsForHost, .waitsForHost])
        for download in downloads[1...].reversed() {
            for _ in 0..<3 {
                let operation = try #require(download.operation)
                try await eventually("it is turned away") { operation.isFinished }
                // It has nothing to do with the download any more.
                operation.cancel()
            }
        }
        for index in 0..<3 {
            downloads[index].cancel()
            try await expect([downloads[index + 1]], [.running])
            #expect(downloads[index + 1].core.withLock { $0.machine.isRunning(1) })
            try await expect(Array(downloads[(index + 2)...]), Array(repeating: .waitsForHost, count: 2 - index))
        }
    }

    @Test(arguments: [1, 2, 3]) func aNumberOfConnectionsThatWasAskedForIsBoundToo(perHost: Int) async throws {
        let bytes = TestBytes.random(count: 5 << 20)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0) }
        let test = try TestManager {
            $0.maxConnectionsPerHost = perHost
            $0.connectionsPerDownload = .exactly(8)
        }
        let downloads = test.manager.download(["/a", "/b", "/c", "/d"].map { server.url($0) })
        for download in downloads { _ = try await download.ended().get() }
        #expect(server.mostAtOnce <= perHost)
        #expect(TestBytes.difference(try test.bytes("d"), from: bytes) == nil)
    }

    /// Downloads from two hosts that redirect to a third, and some from that one.
    @Test(arguments: [1, 2], [nil, 4]) func theHostThatRedirectsLeadToIsNotExceeded(
        perHost: Int,
        connections: Int?
    ) async throws {
        let bytes = TestBytes.random(count: 3 << 20)
        let rates = ConnectionRates(bytesPerSecond: 32 << 20)
        let target = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).paced(by: rates, for: $0) }
        let redirectors = try (0..<2).map { _ in
            try TestServer { .redirect(to: target.url($0.path).absoluteString) }
        }
        let test = try TestManager {
            $0.maxConcurrentDownloads = 8
            $0.maxConnectionsPerHost = perHost
            $0.connectionsPerDownload = connections.map { .exactly($0) } ?? .automatic
        }
        let urls = (0..<4).flatMap { number in
            redirectors.enumerated().map { $1.url("/\($0)-\(number)") } + [target.url("/\(number)")]
        }
        let downloads = test.manager.download(urls)
        for download in downloads { _ = try await download.ended().get() }
        #expect(target.mostAtOnce <= perHost && redirectors.allSatisfy { $0.mostAtOnce <= perHost })
        for name in test.names { #expect(TestBytes.difference(try test.bytes(name), from: bytes) == nil) }
        #expect(test.names.count == urls.count)
        // Nothing is asked for without hope: at most once more for each that was turned away.
        #expect(redirectors.allSatisfy { $0.requests.count <= 4 * 8 }, "\(redirectors.map(\.requests.count))")
        #expect(test.manager.holdings == DownloadManager.Holdings())
    }

    /// A download that waits for the host that it was redirected to holds no slot, and needs no retry.
    @Test func oneThatIsRedirectedToAFullHostWaitsWithoutASlot() async throws {
        let gate = try Gate()
        let target = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let redirector = try TestServer { .redirect(to: target.url($0.path).absoluteString) }
        let other = try TestServer { .file([2], for: $0) }
        let test = try TestManager {
            $0.maxConcurrentDownloads = 2
            $0.maxConnectionsPerHost = 1
            $0.retry = .never
        }
        let first = test.manager.download(target.url("/a"))
        try await gate.reached()
        let second = test.manager.download(redirector.url("/b"))
        try await eventually("it waits for the target") { second.waitsForHost }
        _ = try await test.manager.download(other.url("/c")).ended().get()
        #expect(redirector.requests.count == 1)
        gate.open()
        for download in [first, second] { _ = try await download.ended().get() }
        #expect(target.mostAtOnce == 1 && redirector.requests.count == 2)
    }

    @Test func noHelperOpensWhileADownloadWaitsForTheHost() async throws {
        let bytes = TestBytes.random(count: 5 << 20)
        let gate = try Gate()
        let server = try TestServer { request in
            gate.pass()
            return .file(bytes, etag: "\"v1\"", for: request)
        }
        let test = try TestManager {
            $0.maxConcurrentDownloads = 3
            $0.maxConnectionsPerHost = 2
            $0.connectionsPerDownload = .exactly(4)
        }
        let downloads = test.manager.download(["/a", "/b", "/c"].map { server.url($0) })
        try await eventually("the third waits") { downloads[2].waitsForHost }
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
        // Whoever helped came after the last file's first request.
        let requests = server.requests
        let last = try #require(requests.firstIndex { $0.path == "/c" })
        #expect(requests[..<last].count { $0.range != nil } == 0 && server.mostAtOnce <= 2)
    }
}
