/// The loop's time, read once per turn rather than once per piece.
final class LoopClock {
    private(set) var now = ContinuousClock.now

    @discardableResult
    func tick() -> ContinuousClock.Instant {
        now = ContinuousClock.now
        return now
    }
}
