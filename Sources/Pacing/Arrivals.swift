/// What has come since a moment.
struct Arrivals: Sendable {
    /// What a file counts beside its bytes. For small files, the round trip of a request costs more than their bytes.
    private static let worthOfFile = 32_768.0

    let began: Duration
    private var bytes = 0.0
    private var files = 0.0

    init(_ now: Duration) { began = now }

    mutating func take(_ count: Int) { bytes += Double(count) }

    mutating func takeFile() { files += 1 }

    func rate(_ now: Duration) -> Rate {
        let seconds = max(0.001, (now - began) / .seconds(1))
        return Rate(bytes: bytes / seconds, worth: (bytes + files * Self.worthOfFile) / seconds)
    }
}

/// What comes in a second.
struct Rate: Sendable {
    let bytes: Double
    /// The bytes, and what the files count.
    let worth: Double
}

/// How long a request takes to receive its first byte, and how large its file is, judged by the last ones.
struct TypicalAnswer: Sendable {
    private static let most = 32
    private static let shortestWindow = Duration.milliseconds(100)
    private static let longestWindow = Duration.seconds(1)
    /// To find out whether more help takes so many answers, and may cost a while of the speed.
    private static let answersOfTrial = 20
    private static let shortestTrial = Duration.milliseconds(500)

    /// When the first answer came.
    private(set) var first: Duration?
    /// The median.
    private(set) var typical = Duration.milliseconds(50)
    private var last: [Duration] = []
    /// The mean size, newer files counting more; `nil` if none is known.
    private(set) var size: Double?

    mutating func note(_ duration: Duration, size: Int64? = nil, now: Duration) {
        if let size { self.size = self.size.map { $0 + (Double(size) - $0) / Double(Self.most) } ?? Double(size) }
        first = first ?? now
        if last.count == Self.most { last.removeFirst() }
        last.append(duration)
        typical = last.sorted()[last.count / 2]
    }

    /// How long a rate is measured. The answers of one level come in bursts, a round trip apart.
    var window: Duration { min(max(typical * 2, Self.shortestWindow), Self.longestWindow) }

    /// Whether so many bytes take long enough at this rate to try whether more help.
    func isWorthTrial(_ left: Double, at rate: Rate) -> Bool {
        left > max(1, rate.bytes) * (max(Self.shortestTrial, typical * Self.answersOfTrial) / .seconds(1))
    }
}

/// A number of downloads, and what they brought together.
struct Level: Sendable {
    let count: Int
    let rate: Rate
}

/// The rates of the windows at one level.
struct LevelRates: Sendable {
    /// A new connection gathers speed: while the rate grows by more than this, it may be that.
    private static let growth = 1.15
    private static let most = 8

    private var window: Arrivals
    /// The rate of the window in which the level was reached. It proves a gain, but no loss.
    private var first: Rate?
    private var rates: [Rate] = []

    /// - Parameter isNew: whether the level is about to be reached.
    init(_ now: Duration, isNew: Bool = true) {
        window = Arrivals(now)
        if !isNew { first = window.rate(now) }
    }

    mutating func take(_ bytes: Int) { window.take(bytes) }

    mutating func takeFile() { window.takeFile() }

    /// Begins the window anew: something else than the level sets the pace.
    mutating func dropWindow(_ now: Duration) { window = Arrivals(now) }

    /// Returns the rate of the window if it is over.
    mutating func endWindow(after length: Duration, _ bursts: Bursts, _ now: Duration) -> (rate: Rate, isFirst: Bool)? {
        guard bursts.end(window, after: length, now) else { return nil }
        let rate = window.rate(now)
        window = Arrivals(now)
        guard first != nil else {
            first = rate
            return (rate, true)
        }
        // A mean of the last windows, not of all: lines change.
        if rates.count == Self.most { rates.removeFirst() }
        rates.append(rate)
        return (rate, false)
    }

    var count: Int { rates.count }

    var mean: Rate { mean(of: rates[...]) }

    /// The rate, once it has stopped rising by itself; `nil` before.
    var steady: Rate? {
        guard let last = rates.last, let first else { return nil }
        let former = rates.count > 1 ? rates[rates.count - 2] : first
        if last.worth < former.worth * Self.growth { return mean(of: rates.suffix(2)) }
        return rates.count >= 4 ? last : nil
    }

    /// Whether the last window brought little more than the one before.
    func isSteady(within growth: Double) -> Bool {
        rates.count >= 2 && rates[rates.count - 1].bytes < rates[rates.count - 2].bytes * growth
    }

    /// Whether the last windows, three at least, all brought fewer bytes than that.
    func isBelow(_ bytes: Double) -> Bool { rates.count >= 3 && rates.suffix(3).allSatisfy { $0.bytes < bytes } }

    /// Whether a window brought fewer bytes than that.
    func hasOneBelow(_ bytes: Double) -> Bool { rates.contains { $0.bytes < bytes } }

    /// The mean of the last windows; `nil` if there are not so many.
    func mean(ofLast count: Int) -> Rate? {
        guard let first, rates.count + 1 >= count else { return nil }
        return mean(of: ([first] + rates).suffix(count))
    }

    private func mean(of rates: ArraySlice<Rate>) -> Rate {
        let count = Double(max(1, rates.count))
        return Rate(
            bytes: rates.reduce(0) { $0 + $1.bytes } / count,
            worth: rates.reduce(0) { $0 + $1.worth } / count
        )
    }
}
