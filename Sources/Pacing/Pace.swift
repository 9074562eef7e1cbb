/// How many downloads run at once: as many as bring more together, and no more.
///
/// Only the rate of all together tells: what one gains may be what another loses. So that rate is measured in windows,
/// at one level after another. A level is a number of downloads.
///
/// Many small files begin with a ``FastStart``, in which a round trip doubles the level. Files that take longer are
/// measured from one level to the next. Then the smallest level that is as fast stays, and a few more are tried after
/// pauses that grow.
///
/// It has no clock and no lock. Each call states its time, counted from any moment.
package struct Pace: Sendable {
    package typealias Time = Duration

    private enum Phase {
        case starting(FastStart)
        /// Doubles the level while each step brings something. `from` is the first level whose rate was steady.
        case climbing(from: Level?)
        /// Halves the level while that costs nothing. `from` is the level above.
        case descending(from: Level?)
        /// Tries a few downloads only, until a time. Each of the many at `from` received very little: the line may be full,
        /// or the server may slow down clients with too many connections. Such a server takes some seconds to recover.
        ///
        /// `lowest` is the rate of the worst window since.
        case relieving(from: Level, lowest: Double, until: Time)
        case settled
        /// A few more than `from`.
        case probing(from: Level)
    }

    /// How many run at first.
    package static let start = 3
    /// If no download ends for so long, fewer do not run by themselves.
    private static let longestDrain = Duration.seconds(1)
    private static let longestPunishment = Duration.seconds(4)
    /// If so few downloads suddenly receive so many times as much, they were punished before.
    private static let recovery = 4.0
    /// How many bytes TCP sends before the first acknowledgement.
    private static let firstWindow = 14_480.0
    private static let shortestPause = Duration.seconds(1)
    private static let firstPause = Duration.seconds(4)
    private static let longestPause = Duration.seconds(60)

    /// How many may run at once.
    package private(set) var limit: Int
    package private(set) var reason: Reason?
    /// Whether more run than the server bears: end the latest, for it punishes all while they are there.
    package private(set) var endsSurplus = false

    /// The limit, if it is right for now.
    package var settled: Int? { if case .settled = phase { limit } else { nil } }

    private let most: Int
    /// Never above it: `most`, or less after a collapse.
    private var ceiling: Int
    private var phase: Phase
    private var answers = TypicalAnswer()
    private var rates: LevelRates
    private var watch: CollapseWatch
    private var bursts: Bursts
    private var hosts = HostPaces()
    private var mayRelieve = true
    /// The levels of the last climb.
    private var climbed: [Level] = []
    private var waiting = 0
    private var isHeldBack = false
    private var lastChange = Time.zero
    private var lastEnd = Time.zero
    private var pause = Pace.firstPause
    private var nextProbe: Time?

    /// - Parameter start: how many run at first.
    package init(atMost most: Int, from start: Int = Pace.start, now: Time) {
        self.most = max(1, most)
        limit = min(max(1, start), self.most)
        ceiling = self.most
        rates = LevelRates(now)
        watch = CollapseWatch(now)
        bursts = Bursts(now)
        phase = .starting(FastStart(now))
    }

    // MARK: Facts

    /// A download's request has received its first byte.
    ///
    /// - Parameter size: the size of its file; `nil` if unknown. Then its end counts.
    package mutating func answered(sent: Time, size: Int64?, now: Time) {
        answers.note(now - sent, size: size, now: now)
        if let size { countAnswer(sent, size, now) }
    }

    /// A host was used before.
    ///
    /// - Parameters:
    ///   - count: how many downloads at once were right. If nothing has come yet, it begins with half of them.
    ///   - borne: how many of its downloads it bears at once, if it has collapsed with more.
    package mutating func expect(_ count: Int?, borne: Int?, of host: Int, now: Time) {
        if let borne { hosts.expect(borne, of: host, now: now) }
        if let count, case .starting = phase, answers.first == nil { change(to: max(limit, count / 2), .known, now) }
    }

    /// How many of a host's downloads may run; `nil` if any number may.
    package func limit(of host: Int) -> Int? { hosts.limit(of: host) }

    /// A host has closed a connection without an answer, or has taken none.
    ///
    /// - Parameter running: how many of its downloads run.
    /// - Returns: how many may run from now on, if that has changed.
    package mutating func turnedAway(by host: Int, running: Int, now: Time) -> HostChange? {
        hosts.turnedAway(host, running: running, now)
    }

    /// A download has ended.
    ///
    /// - Parameters:
    ///   - isKnown: whether the answer stated its size.
    ///   - host: its host, if it has a number.
    package mutating func ended(sent: Time, isKnown: Bool, host: Int? = nil, now: Time) {
        lastEnd = now
        hosts.ended(host)
        // Not its answer: a server may answer more and more, and send nothing.
        rates.takeFile()
        if !isKnown { countAnswer(sent, 0, now) }
    }

    private mutating func countAnswer(_ sent: Time, _ size: Int64, _ now: Time) {
        guard let step = FastStart.step(from: limit, forFileOf: size) else { return }
        guard case .starting(var start) = phase else { return }
        let best = start.best?.count
        let verdict = start.answered(sent, level: limit, now: now)
        phase = .starting(start)
        if let good = start.best, good.count != best { watch.rise(from: good, now) }
        switch verdict {
        case .grow where isHeldBack: break
        case .grow where step == 0: measure(.climbing(from: nil), now)
        case .grow: change(to: limit + step, .answers, now)
        case .wait: break
        case .stop: measure(.descending(from: nil), now)
        }
        if limit == ceiling, start.hasGrown { measure(.settled, now) }
    }

    /// Call this some forty times a second while anything runs.
    ///
    /// - Parameters:
    ///   - bytes: how many have come since the last call.
    ///   - running: how many downloads run.
    ///   - waiting: how many others wait.
    ///   - isHeldBack: whether something else than their number set the pace: nothing waits, a rate is limited, or the
    ///     disk is slow.
    ///   - facts: the hosts that are in use.
    /// - Returns: how many downloads of a host may run, where that has changed.
    package mutating func tick(
        bytes: Int,
        running: Int,
        waiting: Int,
        isHeldBack: Bool,
        hosts facts: [HostFacts] = [],
        now: Time
    ) -> [HostChange] {
        let changes = hosts.tick(facts, bytes: bytes, running: running, answers, now)
        if changes.contains(where: { $0.cause == .collapse }) { measureAnew(now) }
        judge(bytes, running: running, waiting: waiting, isHeldBack: isHeldBack, now)
        return changes
    }

    private mutating func judge(_ bytes: Int, running: Int, waiting: Int, isHeldBack: Bool, _ now: Time) {
        (self.waiting, self.isHeldBack) = (waiting, isHeldBack)
        if running <= limit { endsSurplus = false }
        if bursts.note(bytes, answer: answers.typical, now) { measureAnew(now) }
        rates.take(bytes)
        watch.take(bytes)
        if case .starting(var start) = phase {
            start.take(bytes)
            if isHeldBack { start.restart(now) }
            phase = .starting(start)
            // The files are too long to tell the pace by their answers.
            if let answer = answers.first, now - (start.lastAnswer ?? answer) > start.patience(answers) {
                measure(.climbing(from: nil), now)
            }
        }
        if isHeldBack {
            watch.drop(now)
            return rates.dropWindow(now)
        }
        // What a single host has lost is that host's.
        if let good = watch.collapsed(running, after: answers.window, bursts, now), !hosts.isAnySuspect {
            return collapse(from: limit, to: good, now)
        }
        if case .starting = phase { return }
        // The level is not reached while more run.
        if running > limit {
            let isStuck = now - max(lastChange, lastEnd) > max(Self.longestDrain, answers.typical * 10)
            if case .descending = phase, isStuck { endsSurplus = true }
            return rates.dropWindow(now)
        }
        guard let (rate, isFirst) = rates.endWindow(after: answers.window, bursts, now) else { return }
        judge(rate, isFirst: isFirst, now)
    }

    // MARK: Levels

    private mutating func change(to level: Int, _ reason: Reason, _ now: Time) {
        let level = max(1, min(level, ceiling))
        if level != limit { (self.reason, lastChange) = (reason, now) }
        limit = level
    }

    private mutating func move(to level: Int, _ reason: Reason, _ now: Time) {
        change(to: level, reason, now)
        watch.drop(now)
        restart(now)
    }

    private mutating func restart(_ now: Time) { rates = LevelRates(now) }

    private mutating func measure(_ next: Phase, _ now: Time) {
        phase = next
        restart(now)
        if case .settled = next { nextProbe = now + pause }
    }

    /// What was measured before was a burst, or silence, or a host that has collapsed.
    private mutating func measureAnew(_ now: Time) {
        watch.forget()
        rates = LevelRates(now, isNew: false)
        switch phase {
        case .climbing, .descending: phase = .climbing(from: nil)
        case .probing: settle(now)
        case .starting(var start):
            start.restart(now)
            phase = .starting(start)
        case .relieving, .settled: break
        }
    }

    private mutating func settle(_ now: Time) {
        phase = .settled
        nextProbe = now + pause
    }

    /// Whether enough is left. If no size is known, nobody knows.
    private func isWorthTrial(_ rate: Rate) -> Bool {
        answers.size.map { answers.isWorthTrial($0 * Double(waiting), at: rate) } ?? true
    }

    private func present(_ rate: Rate) -> Level { Level(count: limit, rate: rate) }

    /// - Parameter isFirst: whether the level was reached within the window. Then its rate proves a gain, but no loss.
    private mutating func judge(_ rate: Rate, isFirst: Bool, _ now: Time) {
        if case .climbing(let from?) = phase, limit > from.count, limit < ceiling,
            rate.worth >= from.climbingWorth(at: limit)
        {
            return climbOn(from: present(rate), now)
        }
        if isFirst { return }
        switch phase {
        case .starting: break
        case .climbing(let from): climb(from, now)
        case .descending(let from): descend(from, now)
        case .relieving(let from, let lowest, let end): endRelief(rate, from, lowest, end, now)
        case .settled: probe(now)
        case .probing(let from): endProbe(from, now)
        }
    }

    /// The last step has brought something.
    private mutating func climbOn(from level: Level, _ now: Time) {
        climbed.append(level)
        watch.rise(from: level, now)
        move(to: limit * 2, .gain, now)
    }

    private mutating func climb(_ from: Level?, _ now: Time) {
        guard let rate = bursts.areKnown ? rates.mean : rates.steady else { return }
        if let from {
            // If the last step has brought something, fewer are slower. Connections that gather speed only seem so.
            let isRight = bursts.areKnown && limit == ceiling && rate.worth >= from.climbingWorth(at: limit)
            return isRight ? settle(now) : descend(nil, now)
        }
        guard limit < ceiling else { return settle(now) }
        guard isWorthTrial(rate) else { return }
        climbed = [present(rate)]
        phase = .climbing(from: present(rate))
        watch.rise(from: present(rate), now)
        move(to: limit + max(Self.start, limit / 4), .probe, now)
    }

    private mutating func descend(_ above: Level?, _ now: Time) {
        guard rates.count >= 2 || above == nil && rates.steady != nil else {
            phase = .descending(from: above)
            return
        }
        let rate = rates.mean
        if let above, rate.worth < above.rate.worth * 0.95 {
            settle(now)
            return move(to: above.count, .slower, now)
        }
        guard limit > Self.start else { return settle(now) }
        if above == nil, mayRelieve, !bursts.areKnown, enough(for: rate) < Double(limit / 2) {
            mayRelieve = false
            phase = .relieving(from: present(rate), lowest: .infinity, until: now + Self.longestPunishment)
            move(to: Self.start, .fewer, now)
            endsSurplus = true
            return
        }
        let best = above.map { $0.rate.worth > rate.worth ? $0.rate : rate } ?? rate
        phase = .descending(from: Level(count: limit, rate: best))
        move(to: limit / 2, .fewer, now)
    }

    /// How many bring this rate, if nothing but the line limits them: each brings its first window in a round trip.
    private func enough(for rate: Rate) -> Double {
        rate.worth * (answers.typical / .seconds(1)) / Self.firstWindow * 2
    }

    private mutating func endRelief(_ rate: Rate, _ from: Level, _ lowest: Double, _ end: Time, _ now: Time) {
        phase = .relieving(from: from, lowest: min(lowest, rate.worth), until: end)
        let hasRecovered = rate.worth > lowest * Self.recovery && rate.worth > from.rate.worth * 0.95
        if rate.worth > from.rate.worth * 2 || hasRecovered {
            // What brought less than these few was too much already.
            let bad = climbed.first { $0.count > limit && $0.rate.worth < rate.worth } ?? from
            collapse(from: bad.count, to: present(rate), now)
            (pause, nextProbe) = (Self.firstPause, now + Self.shortestPause)
            return
        }
        guard now >= end else { return }
        settle(now)
        // What came before the last window may be the punishment.
        if rate.worth < from.rate.worth * 0.95 {
            pause = min(Self.longestPause, pause * 2)
            move(to: from.count, .slower, now)
        }
    }

    private mutating func probe(_ now: Time) {
        guard let due = nextProbe, now >= due else { return }
        guard limit < ceiling else {
            // The server may bear more by now. If there may be no more, fewer may do.
            ceiling = min(most, ceiling + 1)
            pause = min(Self.longestPause, pause * 2)
            return limit == most ? descend(nil, now) : settle(now)
        }
        guard isWorthTrial(rates.mean) else { return }
        let from = present(rates.mean)
        phase = .probing(from: from)
        watch.rise(from: from, now)
        move(to: limit + max(1, limit / 4), .probe, now)
    }

    private mutating func endProbe(_ from: Level, _ now: Time) {
        guard rates.count >= 2 else { return }
        if limit < ceiling, rates.mean.worth >= from.climbingWorth(at: limit) {
            phase = .climbing(from: present(rates.mean))
            return climbOn(from: present(rates.mean), now)
        }
        phase = .settled
        if rates.mean.worth >= from.rate.worth * 1.05 {
            (pause, nextProbe) = (Self.firstPause, now + Self.shortestPause)
            return
        }
        pause = min(Self.longestPause, pause * 2)
        nextProbe = now + pause
        move(to: from.count, .noGain, now)
    }

    private mutating func collapse(from bad: Int, to good: Level, _ now: Time) {
        // Half-way up again at most.
        ceiling = good.count + (bad - good.count) / 2
        pause = min(Self.longestPause, pause * 2)
        settle(now)
        move(to: good.count, .collapse, now)
        watch.forget()
        endsSurplus = true
    }
}

extension Level {
    /// What so many must bring at least, so that even more are tried.
    fileprivate func climbingWorth(at count: Int) -> Double {
        rate.worth * (1 + 0.4 * (Double(count) / Double(self.count) - 1))
    }
}
