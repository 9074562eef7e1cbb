/// How many downloads at once one of several hosts bears. It has no limit until it collapses: more of its downloads run,
/// and half or less of what it sent is left. The sum of all hosts may hide that.
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
            guard level.own < own / 2 else { return false }
            guard let eachOther, let others = level.eachOther else { return true }
            let (each, former) = (level.own / Double(level.running), own / Double(running))
            return each * eachOther < former * others / 2
        }
    }

    /// So many windows in a row: one may be an accident.
    private static let enough = 2
    /// Such a server takes some seconds to recover.
    private static let longestPunishment = Duration.seconds(4)
    private static let firstPause = Duration.seconds(4)
    private static let longestPause = Duration.seconds(60)
    /// Beyond this number, a limit is none.
    private static let unlimited = 64

    /// How many may run; `nil` if any number may.
    private(set) var limit: Int?
    /// The largest number that was right, and what came then.
    private var good: Good?
    /// The smallest number that was too large.
    private var bad = Int.max
    private var pause = HostPace.firstPause
    private var nextTrial: Duration?
    private var punishedUntil = Duration.zero
    private var heldSince: Duration?
    private var (own, all): (Arrivals, Arrivals)
    private var bursts: Bursts
    /// The fewest that ran in this window, and the most of other hosts.
    private var (fewest, mostOthers) = (Int.max, 0)
    private var (lowWindows, fineWindows) = (0, 0)

    /// - Parameter limit: how many it has borne before, if it has collapsed with more.
    init(limit: Int? = nil, now: Duration) {
        (own, all, bursts) = (Arrivals(now), Arrivals(now), Bursts(now))
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
        own.take(facts.bytes)
        all.take(bytes)
        fewest = min(fewest, facts.running)
        mostOthers = max(mostOthers, running - facts.running)
        if noteHold(facts.isHeldBack, now) || now < punishedUntil {
            restart(now)
            return false
        }
        if let due = nextTrial, now >= due { tryMore(now) }
        guard bursts.end(own, after: answers.window, now) else { return false }
        let rate = own.rate(now).worth
        let level = Good(
            running: fewest,
            own: rate,
            eachOther: mostOthers > 0 ? (all.rate(now).worth - rate) / Double(mostOthers) : nil
        )
        let lows = lowWindows
        (own, all, fewest, mostOthers, lowWindows) = (Arrivals(now), Arrivals(now), .max, 0, 0)
        if level.running == 0 { return false }
        // One download shows the size of its file rather than what its host bears.
        guard let good, level.running > good.running, good.running > 1 || limit != nil else {
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
        collapse(from: level.running, to: good.running, now)
        return true
    }

    /// Returns whether something else sets the pace. If that lasts, the limit is forgotten: nothing can be tried meanwhile.
    private mutating func noteHold(_ isHeldBack: Bool, _ now: Duration) -> Bool {
        heldSince = isHeldBack ? heldSince ?? now : nil
        if let heldSince, now - heldSince >= Self.longestPause { (limit, good, nextTrial) = (nil, nil, nil) }
        return isHeldBack
    }

    /// Begins the window anew.
    private mutating func restart(_ now: Duration) {
        (own, all, fewest, mostOthers) = (Arrivals(now), Arrivals(now), .max, 0)
        (lowWindows, fineWindows) = (0, 0)
    }

    /// No more ran than are known to be right.
    private mutating func note(_ level: Good) {
        fineWindows = 0
        good = good.map { $0.running == level.running ? $0.mixed(with: level) : level } ?? level
    }

    private mutating func rise(to level: Good, _ now: Duration) {
        (good, fineWindows) = (level, 0)
        // Only what was tried: without a time for the next trial, one is under way.
        guard let limit, level.running >= limit, nextTrial == nil else { return }
        // If it bears what it did not bear, nothing is known of larger numbers any more.
        if level.running >= bad - 1 { bad = level.running * 2 }
        (pause, nextTrial) = (Self.firstPause, now + Self.firstPause)
        if level.running >= Self.unlimited { (self.limit, nextTrial) = (nil, nil) }
    }

    private mutating func tryMore(_ now: Duration) {
        guard let good, let limit, good.running >= limit else { return }
        self.limit = limit + max(1, (bad - limit) / 2)
        nextTrial = nil
        restart(now)
    }

    private mutating func collapse(from running: Int, to good: Int, _ now: Duration) {
        if limit != nil { pause = min(Self.longestPause, pause * 2) }
        (limit, bad, nextTrial) = (good, running, now + pause)
        punishedUntil = now + Self.longestPunishment
        restart(now)
    }
}
