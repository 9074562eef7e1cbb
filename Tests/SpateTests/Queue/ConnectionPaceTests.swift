import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateSplitting
import SpateTestSupport
import Testing

@testable import Spate

/// How many connections the file of a running download gets. `HelperPaceTests` has how that number is found.
@Suite struct ConnectionPaceTests {
    private let time = TurnedTime()
    private let test: SilentManager
    private let host: HTTPOrigin

    init() throws {
        test = try SilentManager(on: time.platform)
        host = try HTTPURL(test.url("a").absoluteString).origin
        test.transport.letGo()
    }

    private var feed: OperationFeed { test.manager.feed }
    private var long: ObjectIdentifier { ObjectIdentifier(test) }

    private func helpers(of file: ObjectIdentifier, open: Int) -> Int {
        feed.room(at: host, others: 0, isAutomatic: true, of: file, open: open).helpers
    }

    /// Ten seconds, in which a file opens all the connections that it may.
    ///
    /// - Parameter bytes: what so many connections bring in a fortieth of a second.
    /// - Returns: the leases of all but the first.
    private func leases(_ bytes: (_ connections: Int) -> Int) async throws -> [HostLease] {
        let rate = RateShare(of: test.manager.rateLimit)
        test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        var leases: [HostLease] = []
        for step in 0..<400 {
            feed.pacer.note(SegmentPlan.Wish(.more, left: 1 << 40), of: long)
            if step == 0 { feed.pacer.begin(answeredAfter: .milliseconds(50), helpful: nil, in: feed) }
            rate.noteArrival(bytes(1 + leases.count))
            time.advance(by: .milliseconds(25))
            for _ in 0..<max(0, helpers(of: long, open: 1 + leases.count)) {
                guard let lease = feed.leaseHelper(host, others: 0, isAutomatic: true, isOnly: false) else { break }
                leases.append(lease)
            }
        }
        return leases
    }

    @Test func itGetsMoreWhileAllTogetherReceiveMore() async throws {
        let leases = try await leases { $0 * 50_000 }
        #expect(leases.count == 15)
        #expect(feed.pacer.helpfulCount == 16)
        // All is returned.
        feed.pacer.note(nil, of: long)
        for lease in leases { feed.giveBack(lease) }
        #expect(test.manager.holdings.divided == 0 && test.manager.holdings.leases == 1)
    }

    @Test func onAFullLineItGetsOneForATrial() async throws {
        #expect(try await leases { _ in 500_000 }.count == 1)
        #expect(feed.pacer.helpfulCount == 1)
    }

    /// All files are to end together.
    @Test func aFileThatHasMuchLeftGetsTheConnections() async throws {
        let leases = try await leases { $0 * 50_000 }
        for lease in leases { feed.giveBack(lease) }
        let (short, late) = (ObjectIdentifier(time), ObjectIdentifier(test.manager))
        feed.pacer.note(SegmentPlan.Wish(.none, left: 1 << 20), of: short)
        feed.pacer.note(SegmentPlan.Wish(.haste, left: 1 << 20), of: late)
        #expect(helpers(of: short, open: 1) == 0)
        #expect(helpers(of: late, open: 1) == 1)
        #expect(helpers(of: long, open: 1) == 15)
        // Half of the bytes are worth half of the connections.
        feed.pacer.note(SegmentPlan.Wish(.more, left: 1 << 40), of: short)
        #expect(helpers(of: short, open: 1) == 7)
        #expect(helpers(of: long, open: 9) == 0)
    }

    /// What comes is what the limit allows.
    @Test func underARateLimitItGetsNone() async throws {
        test.manager.maxBytesPerSecond = 1 << 40
        #expect(try await leases { $0 * 50_000 }.isEmpty)
    }

    /// Files come first.
    @Test func whileOthersWaitUnderAnAutomaticNumberItGetsNone() async throws {
        test.manager.concurrency = .automatic(atMost: 1)
        test.manager.download((0..<3).map { test.url("w\($0)") })
        try await test.transport.started.wait(until: { $0 == 1 })
        #expect(try await leases { $0 * 50_000 }.isEmpty)
    }
}
