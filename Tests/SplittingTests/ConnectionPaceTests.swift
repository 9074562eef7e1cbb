import SpateHosts
import SpateSplitting
import Testing

/// When the only connection of a file crawls.
@Suite struct ConnectionPaceTests {
    private static let rest: Int64 = 1 << 30

    /// A connection, and how far it is.
    private struct Run {
        var pace: ConnectionPace
        var position: Int64 = 0
        var now = Duration.zero
        var connections = 1
        var host: ConnectionSpeed?
        var verdicts: [ConnectionPace.Verdict] = []

        init(answer: Duration = .milliseconds(10), after earlier: ConnectionPace? = nil) {
            pace = ConnectionPace(at: 0, answer: answer, now: .zero, after: earlier)
        }

        /// Goes on for a while with this speed, in steps of 50 ms.
        mutating func go(_ bytesPerSecond: Int64, for time: Duration, rest: Int64 = ConnectionPaceTests.rest) {
            let end = now + time
            while now < end {
                now += .milliseconds(50)
                position += bytesPerSecond / 20
                guard pace.note(position, now: now) else { continue }
                verdicts.append(pace.judge(rest: rest, connections: connections, host: host, now: now))
            }
        }

        var crawls: Bool { verdicts.contains(.crawls) }
    }

    @Test func aConnectionThatCollapsesCrawlsAfterASecond() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        #expect(run.verdicts.allSatisfy { $0 == .steady })
        run.go(10_000, for: .milliseconds(900))
        #expect(!run.crawls)
        run.go(10_000, for: .seconds(2))
        #expect(run.crawls && run.verdicts.contains(.slow))
    }

    @Test func aNinthOfTheSpeedIsNoCrawl() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        run.go(1_200_000, for: .seconds(10))
        #expect(run.verdicts.allSatisfy { $0 == .steady })
    }

    @Test func aConnectionThatWasNeverQuickerDoesNotCrawl() {
        var run = Run()
        run.go(10_000, for: .seconds(20))
        #expect(run.verdicts.allSatisfy { $0 == .steady })
    }

    @Test func aConnectionCrawlsBesideTheUsualSpeedOfItsHost() {
        var run = Run()
        run.host = ConnectionSpeed(bytesPerSecond: 10_000_000, connections: 1)
        run.go(10_000, for: .seconds(3))
        #expect(run.crawls)
    }

    @Test func aConnectionThatGathersSpeedDoesNotCrawl() {
        var run = Run()
        run.host = ConnectionSpeed(bytesPerSecond: 100_000_000, connections: 1)
        for step in 0..<14 { run.go(100_000 << (step / 2), for: .milliseconds(200)) }
        #expect(!run.crawls)
    }

    @Test func anUnevenCrawlIsACrawl() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        for step in 0..<12 { run.go(step.isMultiple(of: 2) ? 10_000 : 60_000, for: .milliseconds(250)) }
        #expect(run.crawls)
    }

    @Test func whatArrivesAtOnceIsNoSpeed() {
        var run = Run()
        run.go(100_000_000, for: .milliseconds(400))
        run.go(100_000, for: .seconds(10))
        #expect(run.verdicts.allSatisfy { $0 == .steady } && run.pace.rate < 200_000)
    }

    @Test func aLineThatManyShareIsNoCrawl() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        run.connections = 100
        run.go(120_000, for: .seconds(10))
        #expect(!run.crawls)
    }

    @Test func aRestThatSoonEndsIsNotRequestedAgain() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        run.go(10_000, for: .seconds(10), rest: 15_000)
        #expect(!run.crawls)
    }

    @Test func aSlowServerGetsMoreTime() {
        var run = Run(answer: .seconds(2))
        run.go(10_000_000, for: .seconds(5))
        run.go(10_000, for: .seconds(7))
        #expect(!run.crawls)
        run.go(10_000, for: .seconds(3))
        #expect(run.crawls)
    }

    @Test func aPauseForgetsASlowTime() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        run.go(10_000, for: .milliseconds(900))
        run.pace.pause()
        run.go(10_000, for: .milliseconds(900))
        #expect(!run.crawls)
    }

    /// If the network is slow everywhere, the speed becomes the usual one.
    @Test func eachChangeOfTheAddressHalvesWhatIsExpected() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        var changes = 0
        while changes < 20 {
            run.go(100_000, for: .seconds(5))
            guard run.crawls else { break }
            run.pace.leave()
            changes += 1
            run = Run(after: run.pace)
        }
        #expect((3...5).contains(changes), "\(changes) changes")
    }

    @Test func anAddressIsProvenByTwiceTheSpeed() {
        var run = Run()
        run.go(10_000_000, for: .seconds(5))
        run.go(100_000, for: .seconds(3))
        #expect(!run.pace.isImproved)
        run.pace.leave()
        var (same, quick) = (Run(after: run.pace), Run(after: run.pace))
        same.go(120_000, for: .seconds(3))
        quick.go(250_000, for: .seconds(3))
        #expect(!same.pace.isImproved && quick.pace.isImproved)
    }
}
