import Testing

@testable import Spate

@Suite struct SpeedWindowTests {
    private let start = ContinuousClock.now

    private func time(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func itIsTheBytesOfTheLastFiveSeconds() {
        var window = SpeedWindow()
        #expect(window.rate(now: start) == 0)
        window.restart(now: start)
        // A file of a kilobyte every fiftieth of a second, with nothing in between.
        for file in 0..<1_000 { window.add(1_000, now: time(Double(file) / 50)) }
        #expect(abs(window.rate(now: time(20)) - 50_000) < 3_000)
        #expect(abs(window.rate(now: time(22)) - 30_000) < 3_000, "two fifths of the window are empty")
        #expect(window.rate(now: time(26)) == 0)
    }

    @Test func aYoungWindowCountsFromItsStart() {
        var window = SpeedWindow()
        window.restart(now: start)
        window.add(1_000, now: start)
        #expect(window.rate(now: start) == 4_000, "but not over less than a quarter of a second")
        window.add(1_000, now: time(1))
        #expect(window.rate(now: time(1)) == 2_000)
        window.restart(now: time(1))
        #expect(window.rate(now: time(2)) == 0)
    }

    @Test func itHoldsAfterALongSilenceAndWithTimesOutOfOrder() {
        var window = SpeedWindow()
        window.restart(now: start)
        window.add(7_000_000, now: time(0.1))
        window.add(1_000, now: time(1_000_000))
        window.add(1_000, now: time(999_999.9))
        #expect(abs(window.rate(now: time(1_000_000)) - 2_000 / 4.75) < 25)
    }

    /// A quotient of two durations may be a little less than the whole number that it is.
    @Test func itHoldsAtTheVeryEndOfAStep() {
        var window = SpeedWindow()
        window.restart(now: start)
        for step in 1...10_000 {
            let time = start + .milliseconds(250) * step
            window.add(1_000, now: time)
            #expect(step < 20 || abs(window.rate(now: time) - 20_000 / 4.75) < 1, "\(step)")
        }
    }
}
