/// The start of many small files. Each answer allows more, so that a round trip at least doubles their number, as long as
/// each round brings more than the ones before.
struct FastStart: Sendable {
    enum Verdict {
        case grow
        /// The last round brought nothing more. Perhaps its connections are too new.
        case wait
        case stop
    }

    /// A file up to this size needs one or two round trips. The bytes of a larger one fill the line by themselves.
    private static let tiny: Int64 = 64 << 10
    /// A file up to this size needs few round trips.
    private static let small: Int64 = 2 << 20
    private static let (few, many) = (16, 32)
    private static let leastAnswers = 8

    /// From a moment until a request is answered that was sent after it.
    private var round: Arrivals
    private var answers = 0
    /// The level at which it began.
    private var level: Int?
    /// The best round: the level at which it began, and its rate.
    private(set) var best: Level?
    private var isWaiting = false
    private(set) var lastAnswer: Pace.Time?

    init(_ now: Pace.Time) { round = Arrivals(now) }

    /// Whether a round has brought more than another.
    var hasGrown: Bool { best != nil && !isWaiting }

    /// After so long without an answer, it is over: the files are too long.
    func patience(_ answers: TypicalAnswer) -> Duration { lastAnswer == nil ? answers.typical : answers.window }

    /// How many more an answer allows; `nil` if the file is too large to judge by answers.
    ///
    /// With one for each, a round trip doubles the number. A few downloads wait the longest, so they may grow faster.
    static func step(from level: Int, forFileOf size: Int64) -> Int? {
        if size > small { return nil }
        // The first three answers make sixteen of three.
        if size > tiny { return min(5, max(0, few - level)) }
        return level < few ? 3 : level < many ? 2 : 1
    }

    mutating func take(_ bytes: Int) { round.take(bytes) }

    mutating func restart(_ now: Pace.Time) { (round, answers, level) = (Arrivals(now), 0, nil) }

    /// A small file has come, or begins to.
    mutating func answered(_ sent: Pace.Time, level: Int, now: Pace.Time) -> Verdict {
        round.takeFile()
        (answers, lastAnswer) = (answers + 1, now)
        let began = self.level ?? level
        self.level = began
        guard sent >= round.began, answers >= Self.leastAnswers || level < Self.leastAnswers else {
            return isWaiting ? .wait : .grow
        }
        let rate = round.rate(now)
        restart(now)
        if let best, rate.worth < best.rate.worth * 1.25 {
            defer { isWaiting = true }
            return isWaiting ? .stop : .wait
        }
        (best, isWaiting) = (Level(count: began, rate: rate), false)
        return .grow
    }
}
