import Testing

@testable import SpateHTTPTransport

@Suite struct FairBucketTests {
    /// Downloads that take from one bucket, in steps of a millisecond.
    private struct Simulation {
        struct Download {
            let id: Int
            /// What its server sends in a second.
            var supply: Double
            let start: Int
            var ready = 0.0
            var got = 0
            var asksAt = 0
        }

        var bucket = FairBucket()
        var downloads: [Download] = []
        private var millisecond = 0

        init(rate: Int64?) {
            bucket.limit(to: rate, now: .zero)
        }

        var now: Duration { .milliseconds(millisecond) }

        mutating func add(supply: Double, startingAt start: Int = 0) {
            downloads.append(Download(id: bucket.join(), supply: supply, start: start))
        }

        mutating func run(_ milliseconds: Int) {
            for _ in 0..<milliseconds {
                millisecond += 1
                for index in downloads.indices where downloads[index].start < millisecond { step(index) }
            }
        }

        private mutating func step(_ index: Int) {
            // A socket holds no more than this.
            downloads[index].ready = min(downloads[index].ready + downloads[index].supply / 1000, 4e6)
            guard millisecond >= downloads[index].asksAt, downloads[index].ready >= 1 else { return }
            let wanted = Int(downloads[index].ready)
            let granted = bucket.take(wanted, for: downloads[index].id, now: now)
            downloads[index].got += granted
            downloads[index].ready -= Double(granted)
            if granted < wanted { downloads[index].asksAt = millisecond + 25 + index % 3 }
        }
    }

    private static let endless = 1e9

    @Test(arguments: [100, 1_000, 10_000, 1_000_000, 100_000_000] as [Int64])
    func tenSecondsBringTenTimesTheRate(rate: Int64) {
        for count in [1, 3, 20] {
            var simulation = Simulation(rate: rate)
            for _ in 0..<count { simulation.add(supply: Self.endless) }
            simulation.run(10_000)
            let got = simulation.downloads.reduce(0) { $0 + $1.got }
            let wanted = Double(rate) * 10
            #expect(abs(Double(got) - wanted) <= wanted * 0.05, "\(got) of \(wanted), \(count) at once")
        }
    }

    /// - Parameters:
    ///   - supplies: what each server sends in a second.
    ///   - shares: what each download is to get in a second.
    @Test(arguments: [
        ([endless, endless], [50_000, 50_000]),
        ([endless, endless, endless, endless], [25_000, 25_000, 25_000, 25_000]),
        ([10_000, endless], [10_000, 90_000]),
        ([10_000, 30_000, endless, endless], [10_000, 30_000, 30_000, 30_000]),
        ([5_000, 10_000, 20_000], [5_000, 10_000, 20_000]),
        ([0, endless, 0, 0, 0, 0, 0, 0], [0, 100_000, 0, 0, 0, 0, 0, 0]),
    ])
    func whatOneDoesNotUseOthersGet(supplies: [Double], shares: [Double]) {
        var simulation = Simulation(rate: 100_000)
        for supply in supplies { simulation.add(supply: supply) }
        simulation.run(10_000)
        for (download, share) in zip(simulation.downloads, shares) {
            #expect(abs(Double(download.got) / 10 - share) <= share * 0.05 + 100, "\(download.got)")
        }
    }

    @Test func whoComesLateHasSavedNothingUpAndOwesNothing() {
        var simulation = Simulation(rate: 1_000_000)
        simulation.add(supply: Self.endless)
        simulation.add(supply: Self.endless, startingAt: 5_000)
        simulation.run(5_000)
        let before = simulation.downloads[0].got
        simulation.run(2_000)
        let first = simulation.downloads[0].got - before
        #expect(abs(first - 1_000_000) < 100_000 && abs(simulation.downloads[1].got - 1_000_000) < 100_000)
    }

    @Test func aBucketBeginsEmptyAndGathersLittle() {
        var bucket = FairBucket()
        let id = bucket.join()
        #expect(bucket.take(1_000_000, for: id, now: .seconds(5)) == 1_000_000)
        bucket.limit(to: 1_000, now: .seconds(10))
        #expect(bucket.take(1_000, for: id, now: .seconds(10)) == 0)
        #expect(bucket.take(1_000, for: id, now: .seconds(10) + .milliseconds(100)) == 100)
        #expect(bucket.take(1_000, for: id, now: .seconds(60)) == 200)
        bucket.limit(to: nil, now: .seconds(60))
        #expect(bucket.take(1_000, for: id, now: .seconds(60)) == 1_000)
    }

    @Test func anotherRateHoldsFromThenOn() {
        var simulation = Simulation(rate: 1_000_000)
        simulation.add(supply: Self.endless)
        simulation.run(1_000)
        let before = simulation.downloads[0].got
        simulation.bucket.limit(to: 10_000, now: simulation.now)
        simulation.run(10_000)
        #expect(abs(simulation.downloads[0].got - before - 100_000) <= 5_000)
    }

    @Test(arguments: [true, false]) func nothingIsKeptForOneThatHasGoneOrFallenSilent(hasGone: Bool) {
        var simulation = Simulation(rate: 100_000)
        for _ in 0..<2 { simulation.add(supply: Self.endless) }
        simulation.run(1_000)
        if hasGone {
            simulation.bucket.leave(simulation.downloads.removeLast().id)
        } else {
            (simulation.downloads[1].supply, simulation.downloads[1].ready) = (0, 0)
        }
        let before = simulation.downloads[0].got
        simulation.run(2_000)
        #expect(abs(simulation.downloads[0].got - before - 200_000) <= (hasGone ? 10_000 : 25_000))
    }

    @Test func whatTheCommonLimitRefusesIsNotTakenFromTheOwn() {
        let common = RateLimit(1)
        let share = RateShare(of: common, ownLimit: 1_000_000)
        // Its own limit would allow a tenth of a second's worth each time.
        let start = ContinuousClock.now
        var most = 0
        while ContinuousClock.now - start < .milliseconds(250) { most = max(most, share.take(100_000)) }
        #expect(most <= 1)
        common.bytesPerSecond = nil
        #expect(share.take(100_000) == 100_000)
    }

    @Test func whatIsGivenBackIsThereForOthers() {
        var bucket = FairBucket()
        let (first, second) = (bucket.join(), bucket.join())
        bucket.limit(to: 1_000, now: .zero)
        #expect(bucket.take(100, for: first, now: .milliseconds(100)) == 100)
        bucket.giveBack(60)
        #expect(bucket.take(100, for: second, now: .milliseconds(100)) == 60)
    }
}
