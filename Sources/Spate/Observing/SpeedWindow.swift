import SpateTiming

/// The speed over the last five seconds, for bytes from any source. Files of a few milliseconds add up in it.
struct SpeedWindow {
    private static let stepCount = 20
    private static let step = Duration.milliseconds(250)

    private var start: Duration?
    /// The number of the present step since the start.
    private var present = 0
    /// When the present step ends, from the start.
    private var end = Self.step
    /// The bytes of the last steps, each at its number modulo their count.
    private var bytes: [Double] = []

    /// Forgets everything: time counts from now on.
    mutating func restart(now: ContinuousClock.Instant) {
        (start, present, end) = (now.stored, 0, Self.step)
        bytes = Array(repeating: 0, count: Self.stepCount)
    }

    mutating func add(_ count: Int64, now: ContinuousClock.Instant) {
        guard let start else { return }
        advance(to: now.stored - start)
        bytes[present % Self.stepCount] += Double(count)
    }

    /// Bytes per second; 0 before the first start.
    mutating func rate(now: ContinuousClock.Instant) -> Double {
        guard let start else { return 0 }
        let time = now.stored - start
        advance(to: time)
        let first = Self.step * max(0, present - Self.stepCount + 1)
        // A young window would only measure noise.
        return bytes.reduce(0, +) / max(time - first, Self.step).inSeconds
    }

    /// - Parameter time: counted from the start.
    private mutating func advance(to time: Duration) {
        // Threads read the clock before they take the lock.
        guard time >= end else { return }
        // The quotient may be rounded down below a whole number.
        let next = max(present + 1, Int(time / Self.step))
        for step in (present + 1...next).suffix(Self.stepCount) { bytes[step % Self.stepCount] = 0 }
        present = next
        end = Self.step * (next + 1)
    }
}
