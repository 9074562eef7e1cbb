import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// What an automatic number of downloads knows of each host, in a whole manager. `PaceTests` has how that is found.
@Suite struct HostPaceTests {
    private let time = TurnedTime()
    private let test: SilentManager
    private let hosts = ["a.test", "b.test"]

    init() throws {
        test = try SilentManager(on: time.platform)
        test.transport.letGo()
    }

    private var feed: OperationFeed { test.manager.feed }

    private func origin(_ host: String) throws -> HTTPOrigin {
        try HTTPURL(test.url("", host: host).absoluteString).origin
    }

    private func openCounts() throws -> [Int] { try hosts.map { feed.connectionCount(try origin($0)) } }

    /// Lets some time pass in which each connection receives 50 kB in a fortieth of a second, but those of the first host
    /// next to nothing if it has more than it bears.
    private func receive(for seconds: Double, bears: Int) throws {
        let rate = RateShare(of: test.manager.rateLimit)
        for _ in 0..<Int(seconds * 40) {
            let open = try openCounts()
            let bytes = [open[0] * (open[0] > bears ? 500 : 50_000), open[1] * 50_000]
            for (host, count) in zip(hosts, bytes) {
                rate.noteArrival(count)
                feed.pacer.arrivals(from: try origin(host), in: feed)?.note(count)
            }
            time.advance(by: .milliseconds(25))
        }
    }

    /// Two hosts in turn, of which the first bears four connections. The silent transport's downloads do not give way, so
    /// the test cancels them.
    @Test func aHostThatCollapsesGetsFewerAndTheOtherGoesOn() async throws {
        test.manager.concurrency = .automatic
        let downloads = test.manager.download((0..<400).map { test.url("\($0)", host: hosts[$0 % 2]) })
        try await test.transport.started.wait(until: { $0 == 3 })
        feed.pacer.answered(sent: feed.now - .milliseconds(50), size: 1 << 30, in: feed)
        try receive(for: 8, bears: 4)
        let changes = test.concurrencyChanges.values
        let change = try #require(changes.first { $0.host != nil }, "\(changes)")
        #expect(change.host == "http://a.test" && change.reason == .overload && (2...4).contains(change.limit))
        #expect(change.former > change.limit)
        // What it holds ends, and as many run as it bears. The other host may have taken the slots by then: its downloads
        // end, too, until those in line before have begun.
        for download in downloads where download.state.isRunning && download.url.host == hosts[0] { download.cancel() }
        try await eventually("as many of a.test run as it bears") {
            let count = try openCounts()[0]
            if count < 2 { downloads.first { $0.state.isRunning && $0.url.host == hosts[1] }?.cancel() }
            // Those that were cancelled may still hold their connections.
            let running = downloads.count { $0.state.isRunning && $0.url.host == hosts[0] }
            return (2...5).contains(count) && running == count
        }
        try receive(for: 1, bears: 4)
        let open = try openCounts()
        #expect((2...5).contains(open[0]) && open[1] > 0 && test.manager.maxConcurrentDownloads >= 6, "\(open)")
        // The process knows it.
        let lesson = try test.manager.surroundings.lessons.withLock { $0[try origin(hosts[0])] }
        #expect(lesson.borne.map { (2...4).contains($0) } ?? false)
        // An exact number is exact.
        test.manager.concurrency = .exactly(200)
        try await eventually("any number of a.test may run") { try openCounts()[0] > 5 }
    }

    /// Another manager begins with half of what was right, and with no more than a host bears.
    @Test func whatWasRightForAHostIsRemembered() async throws {
        let origin = try origin("a.test")
        test.manager.surroundings.lessons.withLock {
            $0.learn(origin) { ($0.downloads, $0.borne) = (40, 5) }
        }
        test.manager.concurrency = .automatic
        test.manager.download((0..<100).map { test.url("\($0)", host: "a.test") })
        try await test.transport.started.wait(until: { $0 >= 5 })
        #expect(test.manager.maxConcurrentDownloads == 20)
        try await eventually("the others wait for their host") {
            feed.connectionCount(origin) == 5 && test.manager.holdings.waiting == 95
        }
        test.manager.download((0..<100).map { test.url("\($0)", host: "b.test") })
        try await eventually("another host has the rest") {
            feed.connectionCount == 20 && feed.connectionCount(origin) == 5
        }
    }

    @Test func whatIsRightForTheOnlyHostIsLearned() async throws {
        let (manager, origin) = (test.manager, try origin("a.test"))
        manager.concurrency = .automatic
        manager.download((0..<400).map { test.url("\($0)", host: "a.test") })
        let rate = RateShare(of: manager.rateLimit)
        for _ in 0..<40 {
            let (running, sent) = (manager.maxConcurrentDownloads, feed.now)
            try await test.transport.started.wait(until: { $0 >= running })
            time.advance(by: .milliseconds(50))
            rate.noteArrival(running * 10_000)
            for _ in 0..<running { feed.pacer.answered(sent: sent, size: 10_000, in: feed) }
        }
        let lesson = manager.surroundings.lessons.withLock { $0[origin] }
        #expect(lesson.downloads == manager.maxConcurrentDownloads && lesson.downloads == 64 && lesson.borne == nil)
    }
}
