import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// How many connections there are to one host.
@Suite(.mostlyWaits) struct HostLimitTests {
    private func expect(_ downloads: [Download], _ standings: [Standing]) async throws {
        try await eventually("\(standings), not \(downloads.map { Standing($0) })") {
            downloads.map { Standing($0) } == standings
        }
    }

    @Test func theEventsSayWhyADownloadWaits() async throws {
        let test = try SilentManager(maxConnectionsPerHost: 1)
        let downloads = test.manager.download([test.url("1"), test.url("2")])
        try await withDeadline {
            for await event in downloads[1].events {
                if event == .state(.waiting(.host)) { break }
            }
        }
        #expect(downloads[1].operation != nil)
    }

    @Test func askingForOperationsChangesNeitherTheOrderNorTheAttempts() async throws {
        let test = try SilentManager(maxConnectionsPerHost: 1)
        test.transport.letGo()
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

    /// Downloads from two hosts that redirect to a third, and some from that one.
    @Test(arguments: [(1, nil), (2, 4)]) func theHostThatRedirectsLeadToIsNotExceeded(
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
}
