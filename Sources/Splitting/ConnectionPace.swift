package import SpateHosts
import SpateTiming

/// Finds out whether the only connection of a file crawls (S5). With no other connection to compare with, what counts is
/// the speed that the file, or its host, had before.
///
/// It has no clock. Each event states its time, counted from any moment.
package struct ConnectionPace: Sendable {
    package typealias Time = Duration

    package enum Verdict: Hashable, Sendable {
        case steady
        /// It is slow, and may crawl.
        case slow
        /// It has crawled for long enough.
        case crawls
    }

    private static let start = Duration.milliseconds(500)
    private static let shortestCrawl = Duration.seconds(1)

    private let began: Time
    /// How long its request took to receive the first byte.
    private let answer: Duration
    private var speed: Speedometer
    private var judged: Time
    /// The best speed of the file. Half of that after each change of the address: if all have become slow, there are only
    /// a few changes.
    private var usual: ConnectionSpeed?
    private var slow: (since: Time, rate: Double)?
    /// The present speed in bytes per second.
    package private(set) var rate = 0.0
    /// The speed at the address before.
    private var former: Double?

    /// - Parameters:
    ///   - position: where the connection begins to write.
    ///   - earlier: the pace of the connection before it.
    package init(at position: Int64, answer: Duration, now: Time, after earlier: ConnectionPace? = nil) {
        (began, judged, self.answer) = (now, now, answer)
        speed = Speedometer(position, now)
        usual = earlier?.usual
        former = earlier?.former
    }

    /// The connection has written everything up to `position`. Returns whether to judge its speed now.
    package mutating func note(_ position: Int64, now: Time) -> Bool {
        // A connection gathers speed, and what was buffered on the way arrives at once.
        guard now - began >= Self.start else {
            (speed, judged) = (Speedometer(position, now), now)
            return false
        }
        speed.note(position, now)
        guard now - judged >= Speedometer.window else { return false }
        judged = now
        return true
    }

    /// - Parameters:
    ///   - rest: how many bytes are left.
    ///   - connections: how many connections share the line.
    ///   - host: the speed that the host had before.
    package mutating func judge(rest: Int64, connections: Int, host: ConnectionSpeed?, now: Time) -> Verdict {
        rate = speed.rate(now)
        let expected = max(usual?.share(of: connections) ?? 0, host?.share(of: connections) ?? 0)
        if rate > usual?.bytesPerSecond ?? 0 {
            usual = ConnectionSpeed(bytesPerSecond: rate, connections: connections)
        }
        if rate >= expected / 10 {
            slow = nil
            return .steady
        }
        // While it still becomes faster, its time begins anew.
        let isFaster = slow.map { rate > $0.rate * 1.5 } ?? true
        if isFaster { slow = (now, rate) }
        let since = slow?.since ?? now
        let left = Double(rest) / max(1, rate)
        let isWorthIt = left > max(2, (answer * 10).inSeconds)
        return isWorthIt && now - since >= max(Self.shortestCrawl, answer * 4) ? .crawls : .slow
    }

    /// Its speed says nothing for now: a rate is limited, or others fetch parts of the file.
    package mutating func pause() { slow = nil }

    /// It is about to be replaced at another address.
    package mutating func leave() {
        former = rate
        usual?.bytesPerSecond /= 2
    }

    /// Whether it is clearly faster than at the address before.
    package var isImproved: Bool { former.map { rate >= $0 * 2 && rate > 0 } ?? false }
}
