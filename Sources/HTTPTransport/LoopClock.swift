/// The loop's time, read once a turn: a chunk needs no look at the clock.
final class LoopClock {
    private(set) var now = ContinuousClock.now

    @discardableResult
    func tick() -> ContinuousClock.Instant {
        now = ContinuousClock.now
        return now
    }
}
