/// Finds out whether more connections bring more: one, then two, then four.
struct ConnectionGrowth {
    /// More connections to try, and what came before with those that there are.
    struct Step {
        let count: Int
        let rate: Double
    }

    private var start: Duration
    /// The rate in the window before, with as many connections.
    private var lastRate: Double?
    /// The rate before the last step.
    private var rateBefore: Double?
    /// How many helped the last time.
    private let known: Int?
    /// How many help, once that is known.
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
    /// The rate must have stopped to rise by itself: a line that is shared would seem to carry more with each connection.
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

    /// The server has decided how many there are.
    mutating func conclude(_ count: Int) {
        lesson = count
    }
}
