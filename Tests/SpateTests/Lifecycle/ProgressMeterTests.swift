import SpateTestSupport
import Testing

@testable import Spate

@Suite struct ProgressMeterTests {
    private static let megabyte: Int64 = 1_000_000
    private let start = ContinuousClock.now

    private func time(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// A meter that has seen `rate` bytes a second arrive, every tenth of a second.
    private func meter(rate: Int64, from offset: Int64 = 0, seconds: Double, total: Int64? = nil) -> ProgressMeter {
        var meter = ProgressMeter()
        meter.begin(at: offset, total: total, now: start)
        for tenth in 1...Int(seconds * 10) {
            _ = meter.advance(to: offset + rate * Int64(tenth) / 10, now: time(Double(tenth) / 10))
        }
        return meter
    }

    @Test func receivedBytesNeverFallWithinAnAttemptNorPassTheTotal() {
        var random = SeededRandom(seed: 1)
        for total in [nil, 0, 1, 500, 1_000] as [Int64?] {
            var meter = ProgressMeter()
            meter.begin(at: 0, total: total, now: start)
            var last: Int64 = 0
            for step in 1...500 {
                _ = meter.advance(to: Int64(random.below(2_000)), now: time(Double(step) / 100))
                let progress = meter.progress(now: time(Double(step) / 100))
                #expect(progress.receivedBytes >= last && progress.receivedBytes <= total ?? .max)
                #expect(progress.bytesPerSecond >= 0 && progress.totalBytes == total)
                last = progress.receivedBytes
            }
        }
    }

    @Test func onlyWhatHasComeHasArrived() {
        var meter = ProgressMeter()
        #expect(meter.find(1_000, of: 3_000) == true)
        #expect(meter.find(1, of: nil) == false)
        #expect(meter.takeArrived() == 0)
        #expect(meter.progress(now: start).receivedBytes == 1_000)
        meter.begin(at: 1_200, total: 3_000, now: start)
        #expect(meter.find(0, of: nil) == false)
        for offset in [1_500, 1_400, 1_700] { _ = meter.advance(to: Int64(offset), now: start) }
        #expect(meter.takeArrived() == 500)
        #expect(meter.takeArrived() == 0)
        // It begins again from zero, and is there already in the end.
        meter.begin(at: 0, total: 3_000, now: start)
        _ = meter.advance(to: 100, now: start)
        meter.complete(at: 3_000, now: start)
        #expect(meter.takeArrived() == 100)
    }

    @Test func whatIsFoundDoesNotPassTheTotal() {
        var meter = ProgressMeter()
        #expect(meter.find(8, of: 5) == true)
        #expect(meter.progress(now: start).receivedBytes == 5)
    }

    @Test(arguments: [1, 7, 50, 99, 100])
    func observersHearTenTimesASecondAtMostAndNotMuchLess(milliseconds: Int) {
        var meter = ProgressMeter()
        meter.begin(at: 0, total: nil, now: start)
        let told = stride(from: 0, to: 10_000, by: milliseconds).filter { now in
            meter.advance(to: Int64(now), now: start + .milliseconds(now))
        }
        #expect(told.first == 0)
        #expect(zip(told, told.dropFirst()).allSatisfy { $1 - $0 >= 100 })
        #expect(told.count >= 50)
    }

    @Test func aLateTimerReportsNothingBeforeTheNextPlannedTime() {
        var meter = ProgressMeter()
        meter.begin(at: 0, total: nil, now: start)
        #expect(meter.advance(to: 1, now: time(0)) == true)
        #expect(meter.advance(to: 2, now: time(0.05)) == false)
        #expect(meter.planReport(now: time(0.05)) == .milliseconds(50))
        // Some bytes are reported before the timer comes; others wait for the next.
        #expect(meter.advance(to: 3, now: time(0.11)) == true)
        #expect(meter.advance(to: 4, now: time(0.12)) == false)
        #expect(meter.planReport(now: time(0.12)) == .milliseconds(90))
        #expect(meter.takePlannedReport(now: time(0.13)) == false)
        #expect(meter.takePlannedReport(now: time(0.21)) == true)
        #expect(meter.takePlannedReport(now: time(0.22)) == false)
    }

    @Test(arguments: [0.1, 0.5, 3, 30])
    func aSteadySpeedIsRightFromTheBeginning(seconds: Double) {
        let speed = meter(rate: Self.megabyte, seconds: seconds).progress(now: time(seconds)).bytesPerSecond
        #expect(abs(speed - 1e6) < 1e3)
    }

    @Test func bytesThatWereThereBeforeHaveNoSpeed() {
        let meter = meter(rate: 1_000, from: 1_000 * Self.megabyte, seconds: 2)
        #expect(abs(meter.progress(now: time(2)).bytesPerSecond - 1_000) < 1)
        #expect(meter.receivedBytes == 1_000 * Self.megabyte + 2_000)
    }

    @Test func aNewSpeedShowsWithinSeconds() {
        var meter = meter(rate: 10 * Self.megabyte, seconds: 20)
        for tenth in 201...300 {
            _ = meter.advance(to: 200 * Self.megabyte + Int64(tenth - 200) * 10_000, now: time(Double(tenth) / 10))
        }
        let speed = meter.progress(now: time(30)).bytesPerSecond
        #expect(speed > 0.1e6 && speed < 0.6e6)
    }

    @Test func theSpeedFallsInSilenceUntilItIsNothing() {
        let meter = meter(rate: Self.megabyte, seconds: 5)
        let speeds = [5.0, 5.9, 8, 12, 20, 60].map { meter.progress(now: time($0)).bytesPerSecond }
        #expect(abs(speeds[1] - speeds[0]) < 1)
        #expect(speeds[2] < speeds[1] && speeds[3] < 0.2e6 && speeds[4] < 0.02e6 && speeds[5] == 0)
        #expect(meter.progress(now: time(60)).receivedBytes == 5 * Self.megabyte)
    }

    @Test func aBurstAfterASilenceIsSpreadOverTheSilence() {
        var meter = meter(rate: Self.megabyte, seconds: 5)
        _ = meter.advance(to: 15 * Self.megabyte, now: time(25))
        let speed = meter.progress(now: time(25)).bytesPerSecond
        #expect(speed > 0.4e6 && speed < 0.6e6)
    }

    @Test func twoReadingsAtOneTimeMakeNoSpeed() {
        var meter = ProgressMeter()
        meter.begin(at: 0, total: nil, now: start)
        _ = meter.advance(to: Self.megabyte, now: start)
        _ = meter.advance(to: 2 * Self.megabyte, now: start + .nanoseconds(1))
        #expect(meter.progress(now: start + .nanoseconds(1)).bytesPerSecond == 0)
        _ = meter.advance(to: 2 * Self.megabyte, now: time(1))
        #expect(abs(meter.progress(now: time(1)).bytesPerSecond - 2e6) < 1e3)
    }

    @Test func anAttemptLongAfterTheLastHasASpeedOfItsOwn() {
        var meter = meter(rate: 10 * Self.megabyte, seconds: 5)
        meter.begin(at: 50 * Self.megabyte, total: nil, now: time(3_600))
        #expect(meter.progress(now: time(3_600)).bytesPerSecond == 0)
        _ = meter.advance(to: 50 * Self.megabyte + 1_000, now: time(3_600.1))
        #expect(abs(meter.progress(now: time(3_600.1)).bytesPerSecond - 10_000) < 10)
    }

    @Test func theNextRangeOfTheSameFileGoesOnAtItsSpeed() {
        var meter = meter(rate: Self.megabyte, seconds: 5)
        meter.begin(at: 5 * Self.megabyte, total: nil, now: time(5.01))
        #expect(abs(meter.progress(now: time(5.01)).bytesPerSecond - 1e6) < 1e3)
    }

    @Test func aFreshStartCountsFromItsOffsetAndNeverBackwards() {
        var meter = meter(rate: Self.megabyte, seconds: 5, total: 10 * Self.megabyte)
        meter.begin(at: 0, total: 4 * Self.megabyte, now: time(5))
        #expect(meter.receivedBytes == 0 && meter.totalBytes == 4 * Self.megabyte)
        _ = meter.advance(to: 1_000, now: time(5.1))
        #expect(meter.progress(now: time(5.1)).bytesPerSecond >= 0)
    }

    @Test func aCompleteFileIsAllOfIt() {
        var meter = meter(rate: Self.megabyte, seconds: 1)
        meter.complete(at: Self.megabyte + 1, now: time(1.1))
        let progress = meter.progress(now: time(1.1))
        #expect(progress.receivedBytes == Self.megabyte + 1 && progress.totalBytes == Self.megabyte + 1)
        #expect(progress.fractionCompleted == 1 && progress.timeRemaining == .zero)
    }
}
