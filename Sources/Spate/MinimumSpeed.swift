import SpateTiming

/// How much of a file must arrive: at least so many bytes a second, over a period.
public struct MinimumSpeed: Sendable, Hashable {
    let bytesPerSecond: Int64
    /// At most a century, so that no sum or product overflows.
    let period: Duration

    /// - Parameters:
    ///   - bytesPerSecond: a value below 1 counts as 1.
    ///   - period: the time over which they are counted; at least a second.
    public init(bytesPerSecond: Int64, over period: Duration) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.period = max(.seconds(1), min(period, .seconds(3_155_760_000)))
    }

    /// Whether this many bytes in a period are fewer.
    func isMissed(by count: Int64) -> Bool { Double(count) < Double(bytesPerSecond) * period.inSeconds }
}
