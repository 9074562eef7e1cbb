/// How many downloads at once a host bears. It has no limit until it turns requests away without an answer, or until it
/// collapses among others: more of its downloads run, and less than half of what it sent is left, or than an eighth of what
/// it sent to one. The sum of all hosts may hide that.
///
/// Then it goes back to the last good number, and half-way up again after a pause. So it finds the largest number that the
/// host bears, in few steps.
struct HostPace: Sendable {
    /// What came at a number.
    private struct Good {
        /// How much the last window at the same number counts.
        private static let share = 0.25

        let running: Int
        var own: Double
        /// What each download of other hosts received; `nil` without any.
        var eachOther: Double?

        func mixed(with other: Self) -> Self {
            var mixed = self
            mixed.own += (other.own - own) * Self.share
            if let eachOther, let others = other.eachOther {
                mixed.eachOther = eachOther + (others - eachOther) * Self.share
            } else {
                mixed.eachOther = other.eachOther
            }
            return mixed
        }

        /// Whether much less comes now from this host, and not only because a full line has less for each.
        func hasCollapsed(to level: Self) -> Bool {
            // One download shows the size of its file rather than what its host bears.
            let loss = running > 1 ? 2.0 : 8
            guard level.own < own / loss else { return false }
            guard let eachOther, let others = level.eachOther else { return true }
            let (each, former) = (level.own / Double(level.running), own / Double(running))
            return each * eachOther < former * others / loss
        }
    }

    /// So many windows in a row: one may be an accident.
    private static let enough = 2
    /// Such a server takes some seconds to recover.
    private static let longestPunishment = Duration.seconds(4)
    /// After so long without a byte, the line is gone, or the host: that says nothing of its number.
    private static let longestSilence = Duration.seconds(2)
    private static let firstPause = Duration.seconds(4)
    private static let longestPause = Duration.seconds(60)
    /// Beyond this number, a limit is none.
    private static let unlimited = 64

    /// How many may run; `nil` if any number may.
    private(set) var limit: Int?
    /// The largest number that was right, and what came then.
    private var good: Good?
    /// The limit before a trial.
    private var borne = 0
    /// The smallest number that was too large.
    private var bad = Int.max
    private var pause = HostPace.firstPause
    private var nextTrial: Duration?
    private var punishedUntil = Duration.zero
    private var heldSince: Duration?
    /// When something came from it last.
    private var lastBytes: Duration
    private var (own, all): (Arrivals, Arrivals)
    private var bursts: Bursts
    /// The fewest and the most that ran in this window, and the most of other hosts.
    private var (fewest, most, mostOthers) = (Int.max, 0, 0)
    private var (lowWindows, fineWindows) = (0, 0)

    /// - Parameter limit: how many it has borne before, if it has collapsed with more.
    init(limit: Int? = nil, now: Duration) {
        (own, all, bursts, lastBytes) = (Arrivals(now), Arrivals(now), Bursts(now), now)
        guard let limit else { return }
        (self.limit, bad, nextTrial) = (limit, limit * 2, now + Self.firstPause)
    }

    /// Whether a window has shown a collapse, and the next one will tell.
    var isSuspect: Bool { lowWindows > 0 }

    /// A download has ended.
    mutating func ended(isOwn: Bool) {
        if isOwn { own.takeFile() }
        all.takeFile()
    }

    /// Returns whether the host has just collapsed.
    ///
    /// - Parameters:
    ///   - bytes: how many have come from all hosts.
    ///   - running: how many downloads of all hosts run.
    mutating func tick(
        _ facts: HostFacts,
        bytes: Int,
        running: Int,
        _ answers: TypicalAnswer,
        _ now: Duration
    ) -> Bool {
        _ = bursts.note(facts.bytes, answer: answers.typical, now)
        if facts.bytes > 0 { lastBytes = now }
        own.take(facts.bytes)
        all.take(bytes)
        fewest = min(fewest, facts.running)
        most = max(most, facts.running)
        mostOthers = max(mostOthers, running - facts.running)
        if noteHold(facts.isHeldBack, now) || now < punishedUntil {
            restart(now)
            return false
        }
        if let due = nextTrial, now >= due { tryMore(facts.running, now) }
        guard bursts.end(own, after: answers.window, now) else { return false }
        let rate = own.rate(now).worth
        let level = Good(
            running: fewest,
            own: rate,
            eachOther: mostOthers > 0 ? (all.rate(now).worth - rate) / Double(mostOthers) : nil
        )
        let lows = lowWindows
        defer { most = facts.running }
        (own, all, fewest, mostOthers, lowWindows) = (Arrivals(now), Arrivals(now), .max, 0, 0)
        if level.running == 0 { return false }
        guard let good, level.running > good.running else {
            note(level)
            return false
        }
        guard good.hasCollapsed(to: level), level.eachOther != nil || limit != nil else {
            fineWindows += 1
            if fineWindows >= Self.enough { rise(to: level, now) }
            return false
        }
        fineWindows = 0
        lowWindows = lows + 1
        if lowWindows < Self.enough { return false }
        lengthenPause()
        goBack(to: isTrying ? borne : good.running, from: limit ?? level.running, now)
        return true
    }

    /// Returns whether something else sets the pace. If that lasts, the limit is forgotten: nothing can be tried meanwhile.
    private mutating func noteHold(_ isHeldBack: Bool, _ now: Duration) -> Bool {
        heldSince = isHeldBack ? heldSince ?? now : nil
        if let heldSince, now - heldSince >= Self.longestPause { (limit, good, nextTrial) = (nil, nil, nil) }
        return isHeldBack
    }

    /// It has closed a connection without an answer, or has taken none. Returns whether fewer may run from now on: those
    /// that it serves.
    ///
    /// - Parameter running: how many of its downloads run, with this one.
    mutating func turnedAway(_ running: Int, _ now: Duration) -> Bool {
        if now < punishedUntil {
            // Many are turned away one after another.
            guard let limit, limit > Pace.start else { return false }
            self.limit = limit - 1
            return true
        }
        // A few are not too many: something else is wrong.
        guard running > Pace.start, now - lastBytes < Self.longestSilence else { return false }
        lengthenPause()
        goBack(to: running - 1, from: running, now)
        return true
    }

    /// Begins the window anew.
    private mutating func restart(_ now: Duration) {
        (own, all, fewest, mostOthers, most) = (Arrivals(now), Arrivals(now), .max, 0, 0)
        (lowWindows, fineWindows) = (0, 0)
    }

    /// No more ran all the time than are known to be right. If more ran for a while, the rate is not that of a few.
    private mutating func note(_ level: Good) {
        fineWindows = 0
        guard let good else { return good = level }
        if most > good.running { return }
        let level = Good(running: most, own: level.own, eachOther: level.eachOther)
        self.good = good.running == most ? good.mixed(with: level) : level
    }

    private mutating func rise(to level: Good, _ now: Duration) {
        (good, fineWindows) = (level, 0)
        guard let limit, isTrying, most >= limit else { return }
        // If it bears what it did not bear, nothing is known of larger numbers any more.
        if limit >= bad - 1 { bad = limit * 2 }
        (pause, nextTrial) = (Self.firstPause, now + Self.firstPause)
        if limit >= Self.unlimited { (self.limit, nextTrial) = (nil, nil) }
    }

    /// Without a time for the next trial, one is under way.
    private var isTrying: Bool { limit != nil && nextTrial == nil }

    private mutating func tryMore(_ running: Int, _ now: Duration) {
        guard let limit, running >= limit else { return }
        borne = limit
        self.limit = limit + max(1, (bad - limit) / 2)
        nextTrial = nil
        restart(now)
    }

    private mutating func lengthenPause() {
        if limit != nil { pause = min(Self.longestPause, pause * 2) }
    }

    private mutating func goBack(to count: Int, from running: Int, _ now: Duration) {
        (limit, bad, nextTrial) = (count, running, now + pause)
        punishedUntil = now + Self.longestPunishment
        restart(now)
    }
}
