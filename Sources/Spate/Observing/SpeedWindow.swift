import Timing

/// The speed over the last five seconds, for bytes from any source. Files of a few milliseconds add up in it.
struct SpeedWindow {
    private static let stepCount = 20
    private static let step = Duration.milliseconds(250)

    private var start: ContinuousClock.Instant?
    /// The number of the present step since the start.
    private var present = 0
    /// The bytes of the last steps, each at its number modulo their count.
    private var bytes: [Double] = []

    /// Forgets everything: time counts from now on.
    mutating func restart(now: ContinuousClock.Instant) {
        (start, present) = (now, 0)
        bytes = Array(repeating: 0, count: Self.stepCount)
    }

    mutating func add(_ count: Int64, now: ContinuousClock.Instant) {
        advance(to: now)
        if start != nil { bytes[present % Self.stepCount] += Double(count) }
    }

    /// Bytes per second; 0 before the first start.
    mutating func rate(now: ContinuousClock.Instant) -> Double {
        guard let start else { return 0 }
        advance(to: now)
        let first = start + Self.step * max(0, present - Self.stepCount + 1)
        // A young window would only measure noise.
        return bytes.reduce(0, +) / max(now - first, Self.step).inSeconds
    }

    private mutating func advance(to now: ContinuousClock.Instant) {
        // Threads read the clock before they take the lock.
        guard let start, now >= start + Self.step * (present + 1) else { return }
        let next = Int((now - start) / Self.step)
        for step in (present + 1...next).suffix(Self.stepCount) { bytes[step % Self.stepCount] = 0 }
        present = next
    }
}
