/// Finds out whether more connections are faster: one, then two, then four.
struct ConnectionGrowth {
    /// More connections to try, and the rate with the current ones.
    struct Step {
        let count: Int
        let rate: Double
    }

    private var start: Duration
    /// The rate in the previous window, with the same number of connections.
    private var lastRate: Double?
    /// The rate before the last step.
    private var rateBefore: Double?
    /// How many connections helped the last time.
    private let known: Int?
    /// How many connections help, once known.
    private(set) var lesson: Int?

    init(known: Int?, now: Duration) {
        self.known = known
        start = now
    }

    /// Begins a window, with another number of connections.
    mutating func restart(now: Duration) {
        start = now
        lastRate = nil
    }

    func isOver(_ window: Duration, now: Duration) -> Bool {
        lesson == nil && now - start >= window
    }

    /// The next step after a window, if the last step was worth it.
    ///
    /// The rate must have stopped rising by itself, or each connection would seem to speed up a shared line.
    mutating func step(from count: Int, to most: Int, rate: Double, now: Duration) -> Step? {
        defer {
            start = now
            lastRate = rate
        }
        if let known, count == 1 { return known > 1 ? Step(count: min(known, most), rate: rate) : nil }
        guard let lastRate, rate <= lastRate * 1.1 else { return nil }
        let settled = max(rate, lastRate)
        if let rateBefore, settled < rateBefore * 1.1 {
            lesson = count / 2
            return nil
        }
        if count >= most {
            lesson = count
            return nil
        }
        return Step(count: min(count * 2, most), rate: settled)
    }

    mutating func take(_ step: Step, now: Duration) {
        if known != nil { lesson = step.count }
        rateBefore = step.rate
        restart(now: now)
    }

    /// The server has decided the number of connections.
    mutating func conclude(_ count: Int) {
        lesson = count
    }
}
