package import SpateTestSupport

// Each host and each file has a stream of its own, and each request takes one number of it. So a fault that a world forbids
// changes nothing about the others.
extension SeededRandom {
    /// A stream of its own.
    package mutating func fork() -> SeededRandom { SeededRandom(seed: next()) }

    /// Whether something happens that does so once in `count` times.
    mutating func onceIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// A time between these, small ones as likely as large ones.
    mutating func time(_ shortest: Duration, _ longest: Duration) -> Duration {
        let least = max(1, shortest / .microseconds(1))
        let doublings = (max(1, longest / .microseconds(1)) / least).exponent
        let power = below(Int(doublings) + 1)
        let base = least * Double(1 << power)
        let part = Double(below(1 << 20)) / Double(1 << 20)
        return min(longest, .microseconds(Int64(base * (1 + part))))
    }

    /// What is wrong with something: nothing half the time, and otherwise up to `most` of these.
    mutating func faults(of kinds: [NetworkFault], most: Int) -> [NetworkFault] {
        let isHealthy = onceIn(2)
        let count = number(in: 1...most)
        let drawn = (0..<most).map { _ in pick(kinds) }
        if isHealthy { return [] }
        return drawn.prefix(count).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

/// When something that comes and goes is there.
struct Rhythm {
    private let period: Duration
    private let share: Duration
    private let offset: Duration
    private let end: Duration?

    init(_ random: inout SeededRandom) {
        let period = random.time(.milliseconds(500), .seconds(60))
        self.period = period
        share = period * random.number(in: 10...70) / 100
        offset = period * random.number(in: 0...99) / 100
        // Some are there all the time, up to some end.
        let end = random.time(.seconds(1), .seconds(200))
        self.end = random.onceIn(3) ? end : nil
    }

    func isOn(_ now: Duration) -> Bool {
        if let end { return now < end }
        return rest(now) > .zero
    }

    /// How long it stays.
    func rest(_ now: Duration) -> Duration {
        if let end { return max(.zero, end - now) }
        let time = now + offset
        let turns = Int64(time / period)
        return max(.zero, share - (time - period * turns))
    }
}
