/// Detects a collapse: more downloads run, and the rate of all together has fallen to half or less. Some servers slow
/// down every client that has too many connections.
struct CollapseWatch: Sendable {
    /// So many windows in a row: one may be an accident.
    private static let enough = 2

    /// What came before the last rise.
    private(set) var good: Level?
    private var window: Arrivals
    private var lowWindows = 0
    /// New connections have brought nothing yet.
    private var isNew = true

    init(_ now: Duration) { window = Arrivals(now) }

    /// More run than at this level from now on.
    mutating func rise(from level: Level, _ now: Duration) {
        (good, isNew) = (level, true)
        drop(now)
    }

    /// The level is right, or nothing is known of it any more.
    mutating func forget() { good = nil }

    mutating func take(_ bytes: Int) { window.take(bytes) }

    /// Something else than the level sets the pace.
    mutating func drop(_ now: Duration) { (window, lowWindows) = (Arrivals(now), 0) }

    /// Returns the level to go back to, after a collapse.
    mutating func collapsed(_ running: Int, after length: Duration, _ bursts: Bursts, _ now: Duration) -> Level? {
        guard let good, running > good.count, bursts.end(window, after: length, now) else { return nil }
        let rate = window.rate(now)
        window = Arrivals(now)
        defer { isNew = false }
        lowWindows = !isNew && rate.bytes < good.rate.bytes / 2 ? lowWindows + 1 : 0
        return lowWindows >= Self.enough ? good : nil
    }
}
