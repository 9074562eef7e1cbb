import SpateTiming

/// The speed of a connection, over the last half of a second or so.
struct Speedometer {
    static let window = Duration.milliseconds(250)

    private var latest: Int64
    private var mark: (time: Duration, position: Int64)
    private var earlierMark: (time: Duration, position: Int64)
    /// Whether the last window brought clearly more than the one before.
    private(set) var isRising = true

    init(_ position: Int64, _ now: Duration) {
        latest = position
        mark = (now, position)
        earlierMark = mark
    }

    mutating func note(_ position: Int64, _ now: Duration) {
        latest = position
        if now - mark.time >= Self.window {
            let former = Self.rate(from: earlierMark, to: mark)
            earlierMark = mark
            mark = (now, position)
            isRising = former.map { Self.rate(from: earlierMark, to: mark) ?? 0 > $0 * 1.25 } ?? true
        }
    }

    private static func rate(
        from start: (time: Duration, position: Int64),
        to end: (time: Duration, position: Int64)
    ) -> Double? {
        let time = (end.time - start.time).inSeconds
        return time > 0 ? Double(end.position - start.position) / time : nil
    }

    /// Bytes per second.
    func rate(_ now: Duration) -> Double {
        Self.rate(from: earlierMark, to: (now, latest)) ?? 0
    }
}
