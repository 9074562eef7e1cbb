import SpateTiming

/// The speed of a connection, over the last half of a second or so.
struct Speedometer {
    static let window = Duration.milliseconds(250)

    private var latest: Int64
    private var mark: (time: Duration, position: Int64)
    private var earlierMark: (time: Duration, position: Int64)

    init(_ position: Int64, _ now: Duration) {
        latest = position
        mark = (now, position)
        earlierMark = mark
    }

    mutating func note(_ position: Int64, _ now: Duration) {
        latest = position
        if now - mark.time >= Self.window {
            earlierMark = mark
            mark = (now, position)
        }
    }

    /// Bytes per second.
    func rate(_ now: Duration) -> Double {
        let time = (now - earlierMark.time).inSeconds
        return time > 0 ? Double(latest - earlierMark.position) / time : 0
    }
}

/// The speed between the first and the last bytes of some period. Bytes arrive in blocks: measured from any other
/// moment, the speed of a slow connection would be wrong by a block.
struct SpeedSample {
    private var first: (time: Duration, position: Int64)
    private var last: (time: Duration, position: Int64)

    init(_ position: Int64, _ now: Duration) {
        first = (now, position)
        last = first
    }

    mutating func note(_ position: Int64, _ now: Duration) { last = (now, position) }

    mutating func restart() { first = last }

    /// Bytes per second; `nil` if too little came.
    var rate: Double? {
        let time = (last.time - first.time).inSeconds
        return time > 0 ? Double(last.position - first.position) / time : nil
    }
}
