/// How many connections fetch files together, if some of them fetch parts of the same file.
///
/// As with ``Pace``, only the rate of all together tells: what a file gains may be what another loses. A step is tried
/// where the rate has stopped rising, and at once where far less comes than the line has carried before. It stays if it
/// brings a tenth more.
///
/// It has no clock and no lock. Each call states its time, counted from any moment.
package struct HelperPace: Sendable {
    package typealias Time = Duration

    /// The files that may have several connections.
    package struct Files: Sendable {
        /// How many connections they may have together.
        package var most: Int
        /// How many bytes are left of those that may have one more.
        package var left: Int64
        /// Whether the last connection of a file is slow.
        package var isHasty: Bool
        /// Whether further connections are answered as soon as the first. Then the line is not full.
        package var isPrompt = false

        package init(most: Int, left: Int64, isHasty: Bool) {
            (self.most, self.left, self.isHasty) = (most, left, isHasty)
        }
    }

    private enum Phase {
        case measuring
        /// Whether more than `from` bring something. Gently, each fetches one small part after another: many bytes at once
        /// would overflow a line that is full, and a loss there costs more than the trial is worth. If the first of them is
        /// answered promptly, the line is not full, and a bold trial follows.
        case trying(from: Level, isGentle: Bool)
        /// Whether half of those at `from` do as well.
        case halving(from: Level)
    }

    /// Where more have helped already, or less comes than the line has carried, so many times as many are tried.
    private static let boldStep = 4
    /// So many at least where the line is not full, for connections gather speed all at the same time.
    private static let leap = 8
    /// With less than this, fewer might bring as much. Where the line is not full, it is the connections that are slow.
    private static let (boldGain, promptBoldGain) = (2.5, 1.5)
    private static let (leastGain, leastGentleGain) = (1.1, 1.05)
    /// With less than this of what came before, those that were tried do harm: they end.
    private static let harm = 0.9
    /// A rate that rises by more is not steady.
    private static let steadiness = 1.05
    /// With less than this of what has come before, the line carries more.
    private static let lowShare = 0.75
    private static let shortestWindow = Duration.milliseconds(100)
    private static let memory = Duration.seconds(10)
    private static let firstPause = Duration.seconds(2)
    private static let firstRescuePause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)
    /// New connections gather speed.
    private static let (windowsOfTrial, windowsOfGentleTrial) = (4, 6)
    private static let leastPart: Int64 = 64 << 10
    private static let leastAnswer = Duration.milliseconds(50)

    /// How many connections may be open, of all files together.
    package private(set) var limit = 1
    /// Whether more are open than the server bears: end them.
    package private(set) var endsSurplus = false
    /// How many bytes a further connection may fetch at a time; `nil` for as many as it likes.
    package private(set) var partOfTrial: Int64?
    /// How many connections of a file have helped; `nil` if none was tried.
    package private(set) var lesson: Int?

    private let most: Int
    private var phase = Phase.measuring
    private var answers = TypicalAnswer()
    private var rates: LevelRates
    private var watch: CollapseWatch
    private var bursts: Bursts
    private var level = 0
    /// What the line has carried of late, and over how many connections.
    private var carried: (rate: Rate, count: Int, time: Time)?
    private var pause = HelperPace.firstPause
    private var nextTry = Time.zero
    /// False once a bold trial has brought nothing. A server that limits the rate of all answers promptly, too.
    private var mayTrustPromptness = true
    /// Whether the last leap has helped, and nothing after it. Then fewer may do.
    private var hasLeapt = false
    private var rescuePause = HelperPace.firstRescuePause
    private var nextRescue = Time.zero

    package init(atMost most: Int, now: Time) {
        self.most = max(1, most)
        rates = LevelRates(now)
        watch = CollapseWatch(now)
        bursts = Bursts(now)
    }

    // MARK: Facts

    /// A request has received its first byte.
    package mutating func answered(sent: Time, now: Time) { answers.note(now - sent, now: now) }

    /// So many connections have helped a file of this host before. It begins with half of them: the rest must help again.
    package mutating func expect(_ count: Int) { limit = max(limit, min(count / 2, most)) }

    /// Call this some forty times a second while anything runs.
    ///
    /// - Parameters:
    ///   - bytes: how many have come since the last call.
    ///   - downloads: how many run.
    ///   - connections: how many are open.
    ///   - files: the files that may have several connections; `nil` if there is none, or others wait.
    ///   - isHeldBack: whether something else than their number set the pace.
    package mutating func tick(
        bytes: Int,
        downloads: Int,
        connections: Int,
        files: Files?,
        isHeldBack: Bool,
        now: Time
    ) {
        // What was measured before was a burst, or silence.
        if bursts.note(bytes, answer: answers.typical, now) {
            watch.forget()
            (rates, carried, phase, partOfTrial) = (LevelRates(now), nil, .measuring, nil)
        }
        rates.take(bytes)
        watch.take(bytes)
        if connections <= limit { endsSurplus = false }
        // A download that ends leaves its connection to others only if more than the downloads help.
        if limit < downloads || files == nil { limit = max(downloads, 1) }
        if connections != level {
            level = connections
            switch phase {
            case .measuring: rates = LevelRates(now)
            // They come and go.
            case .trying(_, isGentle: true): break
            case .trying, .halving: rates.dropWindow(now)
            }
        }
        if isHeldBack { rates.dropWindow(now) }
        let rate = rates.endWindow(after: window, bursts, now)?.rate
        if rate != nil { noteCarried(now) }
        guard let files, files.left > 0 || files.isHasty, !isHeldBack else {
            (phase, endsSurplus, partOfTrial) = (.measuring, false, nil)
            return watch.drop(now)
        }
        if let good = watch.collapsed(connections, after: window, bursts, now) {
            endsSurplus = true
            watch.forget()
            return giveUp(good, downloads, now)
        }
        if case .trying(let from, isGentle: true) = phase, files.isPrompt, mayTrustPromptness {
            // What came before may have been a burst that lost packets have ended.
            let present = rates.mean(ofLast: 2) ?? rates.mean(ofLast: 1) ?? from.rate
            let bold = from.count * Self.boldStep
            hasLeapt = bold < Self.leap
            return attempt(max(bold, Self.leap), from: Level(count: from.count, rate: present), files, now)
        }
        guard let rate else { return }
        switch phase {
        case .measuring: consider(rate, files, now)
        case .trying(let from, let isGentle): endTrial(from, isGentle, files, downloads, now)
        case .halving(let from): endHalving(from, downloads, now)
        }
    }

    // MARK: Steps

    /// Bytes come all the time, so one answer is enough.
    private var window: Duration { max(answers.window / 2, Self.shortestWindow) }

    private mutating func noteCarried(_ now: Time) {
        // One window may be an accident: what comes behind a lost packet waits for it, and then comes at once.
        guard let rate = rates.mean(ofLast: 3) else { return }
        if let carried, rate.bytes < carried.rate.bytes, now - carried.time < Self.memory { return }
        carried = (rate, level, now)
    }

    private mutating func consider(_ last: Rate, _ files: Files, _ now: Time) {
        guard let carried, let rate = rates.mean(ofLast: 2) else { return }
        let low = carried.rate.bytes * Self.lowShare
        let isHasty = files.isHasty && last.bytes < low && carried.count > level
        // What is silent is not slow: more connections would meet the same.
        let isLow = (isHasty || files.left > 0 && rates.isBelow(low)) && last.bytes > 0
        if isLow, now >= nextRescue {
            return attempt(max(limit, level) * Self.boldStep, from: Level(count: level, rate: rate), files, now)
        }
        let best = rate.bytes > carried.rate.bytes ? rate : carried.rate
        if level >= limit, rates.isSteady(within: Self.steadiness), now >= nextTry,
            answers.isWorthTrial(Double(files.left), at: best)
        {
            let more = max(1, limit / 4)
            attempt(limit + more, from: Level(count: level, rate: best), isGentle: true, files, now)
        }
    }

    private mutating func endTrial(_ from: Level, _ isGentle: Bool, _ files: Files, _ downloads: Int, _ now: Time) {
        // What comes at once after a loss is no gain.
        let count = rates.hasOneBelow(from.rate.bytes * Self.harm) ? rates.count + 1 : 2
        guard let rate = rates.mean(ofLast: count) else { return }
        let gain = isGentle ? Self.leastGentleGain : Self.leastGain
        if isGentle || level > from.count, rate.bytes >= from.rate.bytes * gain {
            (pause, nextTry, mayTrustPromptness) = (Self.firstPause, now, true)
            (rescuePause, nextRescue) = (Self.firstRescuePause, now)
            let present = Level(count: isGentle ? limit : level, rate: rate)
            // A bold step may have gone too far, if it has brought little. New connections gather speed.
            let isTooFar = level >= from.count * Self.boldStep && rate.bytes < from.rate.bytes * Self.boldGain
            if isTooFar, rates.count < Self.windowsOfTrial, !rates.isSteady(within: Self.steadiness) { return }
            let isPrompt = files.isPrompt && rate.bytes >= from.rate.bytes * Self.promptBoldGain
            if isTooFar, !isPrompt, answers.isWorthTrial(Double(files.left), at: rate) { return halve(present, now) }
            learn(present.count, downloads)
            if !isGentle, from.count > 1 { hasLeapt = false }
            (phase, partOfTrial) = (.measuring, nil)
            // A server that bears four may not bear sixteen.
            let step = present.count < Self.boldStep ? Self.boldStep : 2
            return attempt(limit * step, from: present, files, now)
        }
        let windows = isGentle ? Self.windowsOfGentleTrial : Self.windowsOfTrial
        // It may still rise.
        let mayRise = !isGentle && rates.count < windows * 2 && !rates.isSteady(within: Self.steadiness)
        guard rates.count >= windows, !mayRise else { return }
        if !isGentle { mayTrustPromptness = false }
        endsSurplus = !isGentle && rate.bytes < from.rate.bytes * Self.harm
        if hasLeapt, from.count >= Self.leap, !endsSurplus { return halve(from, now) }
        giveUp(from, downloads, now)
    }

    private mutating func halve(_ present: Level, _ now: Time) {
        (limit, endsSurplus, phase, hasLeapt) = (present.count / 2, true, .halving(from: present), false)
        rates = LevelRates(now)
    }

    private mutating func endHalving(_ from: Level, _ downloads: Int, _ now: Time) {
        guard rates.count >= 2, let rate = rates.mean(ofLast: 2) else { return }
        let suffices = rate.bytes >= from.rate.bytes * 0.95
        if !suffices { limit = from.count }
        learn(limit, downloads)
        (phase, nextTry) = (.measuring, now + pause)
        rates = LevelRates(now)
    }

    private mutating func attempt(
        _ wanted: Int,
        from: Level,
        isGentle: Bool = false,
        _ files: Files,
        _ now: Time
    ) {
        let count = min(wanted, most, max(limit, files.most))
        // Those that run beside the limit have brought nothing.
        guard count > level else { return }
        limit = count
        phase = .trying(from: from, isGentle: isGentle)
        let inAnAnswer = from.rate.bytes * (max(answers.typical, Self.leastAnswer) / .seconds(1))
        partOfTrial = isGentle ? max(Self.leastPart, Int64(inAnAnswer) / Int64(4 * (count - level))) : nil
        rates = LevelRates(now)
        watch.rise(from: from, now)
    }

    private mutating func learn(_ level: Int, _ downloads: Int) { lesson = max(1, level / max(1, downloads)) }

    private mutating func giveUp(_ good: Level, _ downloads: Int, _ now: Time) {
        (limit, phase, partOfTrial) = (good.count, .measuring, nil)
        learn(good.count, downloads)
        (nextTry, nextRescue) = (now + pause, now + rescuePause)
        pause = min(Self.longestPause, pause * 2)
        rescuePause = min(Self.longestPause, rescuePause * 2)
        rates = LevelRates(now)
    }
}
