package import HTTPResumption
import Hosts
import Timing

/// Which connection fetches which part of a file.
///
/// A file begins on one connection, which asked for everything. Where more connections are faster, others fetch parts of
/// the rest: each takes from the one that would be done last as much as makes both end together. Whatever becomes of
/// them, the first goes on.
///
/// It has no clock, no lock and no file. Each event says when it happens, counted from any moment, and returns what to do.
package struct SegmentPlan {
    package typealias Time = Duration

    package enum Action: Hashable, Sendable {
        /// Ask for this range on another connection.
        case open(Int, Range<Int64>)
        /// This connection fetches up to here and no further.
        case end(Int, at: Int64)
        /// End this connection: others have, or will bring, what it would.
        case close(Int)
    }

    /// How a connection ended.
    package enum End: Hashable, Sendable {
        /// It brought what it was asked for.
        case complete
        /// It was cut or stalled, or the response was of no use. What it brought stays.
        case failed
        /// The server has enough connections for now.
        case busy(retryAfter: Duration)
        /// The server does not send parts of this file, or has another file now. Asking again is of no use.
        case useless
    }

    /// Files with less than this have one connection.
    package static let leastSize: Int64 = 1 << 20
    /// With less than this left, more connections are not tried out.
    private static let leastToGrow: Int64 = 8 << 20
    package static let mostAutomatic = 4
    /// Beyond this rate, in bytes per second, a connection needs much of a processor.
    private static let leastBusyRate = 256.0 * 1_048_576
    private static let mostRefusals = 5
    private static let leastPatience = Duration.seconds(2)

    let total: Int64
    var filled: FilledRanges
    /// How many connections there should be.
    private(set) var wanted: Int
    /// How many more the host allows.
    package var allowance = Int.max
    /// Whether the host would allow another connection in place of the first one.
    package var mayReplaceFirst = true
    /// Whether the attempt may send another request at all.
    package var mayAsk = true
    /// Whether the machine has a processor for another connection.
    package var hasIdleProcessor = true

    /// Whether there is to be one connection for the time being, whatever would be faster.
    private(set) var isRestricted = false

    let isAutomatic: Bool
    /// The most that there may ever be.
    package let most: Int
    var connections: [Connection]
    var nextID = 1
    /// The connection that asked for everything, until it ends.
    var first: Int? = 0
    /// How long a request takes to bring its first byte.
    var answer: Duration
    /// How long a helper may take to bring its first byte.
    private let patience: Duration
    private var growth: ConnectionGrowth
    /// The best speed of one connection that was seen lately.
    var usualSpeed = 0.0
    /// When connections were cut that the server may still see.
    var cuts: [Time] = []
    /// How many crawling connections were replaced.
    var replaced = 0
    package private(set) var mayHelp = true
    private var failures = HelperFailures()
    private var refusals = 0
    private var lastRefusal: Time?
    /// Until when the server asks for no more requests.
    private(set) var quietUntil = Time.zero

    /// - Parameters:
    ///   - count: how many connections; `nil` to find out.
    ///   - known: how many are known to help with this host, or, with a count, to be allowed there.
    ///   - position: where the first connection is, which has number 0.
    ///   - asked: where its response ends; `nil` where its part does.
    ///   - answer: how long its request took to bring its first byte.
    package init(
        total: Int64,
        filled: FilledRanges,
        count: Int?,
        known: Int?,
        position: Int64,
        asked: Int64? = nil,
        answer: Duration,
        now: Time
    ) {
        self.total = total
        // What follows a gap is asked for once more, so that it is compared.
        self.filled = FilledRanges(upTo: filled.front)
        for range in filled.ranges where range.lowerBound > 0 && range.count > RangeRequest.seamLength {
            self.filled.insert(range.lowerBound + RangeRequest.seamLength..<range.upperBound)
        }
        self.answer = answer
        patience = max(Self.leastPatience, answer * 3)
        isAutomatic = count == nil
        let pieces = max(1, Int(clamping: (total - filled.count) / Self.leastSize))
        most = min(max(1, count ?? Self.mostAutomatic), Self.mostGaps, pieces)
        wanted = isAutomatic ? 1 : min(most, max(1, known ?? most))
        growth = ConnectionGrowth(known: isAutomatic ? known : nil, now: now)
        // On resuming there may be more gaps than this one.
        let end = self.filled.gaps(in: position..<total).first?.upperBound ?? total
        connections = [Connection(id: 0, range: position..<end, asked: asked, opened: now - answer, began: now)]
    }

    private var left: Int64 { total - filled.count }

    /// Whether there may ever be a second connection.
    package var mayGrow: Bool { most > 1 && (!isAutomatic || left >= Self.leastToGrow) }

    package var isFilled: Bool { left == 0 }

    /// Whether a helper may be asked for now.
    func mayOpenHelper(_ now: Time) -> Bool {
        mayHelp && mayAsk && !isRestricted && allowance > 0 && now >= max(quietUntil, failures.pausedUntil)
    }

    /// Whether a request may follow the last connection.
    func mayGoOn(_ now: Time) -> Bool { mayAsk && now >= quietUntil }

    /// Whether the first connection may end before the file does. If not, another request might be refused, and nobody
    /// would be left.
    func mayEndFirst(_ now: Time) -> Bool {
        mayHelp && mayAsk && mayReplaceFirst && !failures.mayRepeat && now >= quietUntil
    }

    /// Whether helpers get no answer, so that none is to be opened for any file of this host.
    package var isUnanswered: Bool { failures.isUnanswered }

    package var connectionCount: Int { connections.count }

    /// Whether it depends on the machine's processors if there are to be more connections.
    package func needsProcessor(now: Time) -> Bool {
        isAutomatic && lesson == nil
            && connections.reduce(0) { $0 + $1.speed.rate(now) } > Self.leastBusyRate / 2
    }

    /// How many connections helped or were allowed, for the next download from this host; `nil` if that is not known.
    package var lesson: Int? { growth.lesson }

    // MARK: Events

    /// The first valid bytes of a connection have come.
    package mutating func began(_ id: Int, now: Time) {
        guard let index = index(of: id), connections[index].began == nil else { return }
        connections[index].began = now
        connections[index].speed = Speedometer(connections[index].position, now)
        answer = (answer + now - connections[index].opened) / 2
        failures.noteAnswer()
        restartSamples(now: now)
    }

    /// A connection has written everything up to `position`, from where it was before.
    package mutating func advanced(_ id: Int, to position: Int64, now: Time) -> [Action] {
        guard let index = index(of: id), position > connections[index].position else { return [] }
        filled.insert(connections[index].position..<position)
        let before = connections[index].brought
        connections[index].note(position, now)
        if id != first { failures.noteAdvance(of: connections[index], from: before) }
        if isFilled {
            defer { connections = [] }
            // Who has all that it asked for ends by itself.
            return connections.filter { $0.position < $0.asked }.map { .close($0.id) }
        }
        if isTooLate(index) {
            let action = cut(id, now: now)
            return [action] + open(now: now)
        }
        guard connections[index].rest == 0, mayHelp || id != first else { return [] }
        if id == first, let end = nextEnd(ofFirst: index, now) {
            connections[index].end = end
            return [.end(id, at: end)]
        }
        return closeFinished(now: now) + open(now: now)
    }

    package mutating func ended(_ id: Int, _ end: End, now: Time) -> [Action] {
        guard let index = index(of: id) else { return [] }
        let connection = connections.remove(at: index)
        let wasFirst = first == id
        if wasFirst { first = nil }
        // Nobody is left: the attempt decides.
        if connections.isEmpty, end != .complete { return [] }
        switch end {
        case .complete: failures.noteEnd()
        case .failed:
            failures.noteCut(of: connection, isFirst: wasFirst, now: now)
            if failures.areTooMany { return stopHelping(now: now) }
            if connection.began == nil { settle(for: connections.count) }
        case .busy(let wait):
            if lastRefusal.map({ connection.opened >= $0 }) ?? true {
                refusals += 1
                settle(for: (connections.count + 1) / 2, isRefused: true)
            }
            lastRefusal = now
            failures.noteRefusal(of: connection, isFirst: wasFirst, now: now)
            quietUntil = max(quietUntil, now + min(wait, .seconds(300)))
            if refusals > Self.mostRefusals { return stopHelping(now: now) }
        case .useless: return stopHelping(now: now)
        }
        return open(now: now)
    }

    /// A connection that was to be opened is not: its host has no room for it.
    package mutating func withdraw(_ id: Int) {
        connections.removeAll { $0.id == id }
        allowance = 0
    }

    /// To be called ten times a second.
    package mutating func tick(now: Time) -> [Action] {
        if isFilled || !mayHelp || isRestricted { return [] }
        if isAutomatic, refusals == 0 { grow(now: now) }
        recover(now: now)
        let ended = endSilent(now: now)
        return ended + replaceCrawling(now: now) + open(now: now)
    }

    /// A limit of the rate was set, and one connection goes on, or the limit is gone.
    package mutating func restrict(_ isRestricted: Bool, now: Time) -> [Action] {
        if isRestricted == self.isRestricted { return [] }
        self.isRestricted = isRestricted
        restartSamples(now: now)
        guard isRestricted else { return [] }
        let kept = first ?? connections.min { $0.position < $1.position }?.id
        return connections.filter { $0.id != kept }.map { cut($0.id, now: now) }
    }

    /// Ends helpers that wait too long for their first byte.
    private mutating func endSilent(now: Time) -> [Action] {
        guard first != nil || connections.contains(where: { $0.began != nil }) else { return [] }
        var actions: [Action] = []
        for helper in connections where helper.id != first && helper.began == nil && now - helper.opened >= patience {
            actions.append(cut(helper.id, now: now))
            failures.noteSilence(of: helper, now: now)
        }
        return isUnanswered ? actions + stopHelping(now: now) : actions
    }

    // MARK: How many connections

    private mutating func grow(now: Time) {
        let window = max(.milliseconds(100), answer * 3 / 2)
        guard connections.count >= wanted, growth.isOver(window, now: now) else { return }
        var rate = 0.0
        for connection in connections {
            guard let own = connection.sample?.rate else { return }
            rate += own
        }
        for index in connections.indices { connections[index].sample?.restart() }
        guard let step = growth.step(from: wanted, to: most, rate: rate, now: now) else { return }
        if !hasIdleProcessor, step.rate > Self.leastBusyRate { return }
        let needed = max(0.5, (answer * 10).inSeconds)
        guard left >= Self.leastToGrow, Double(left) / step.rate >= needed, allowance > 0 else { return }
        wanted = step.count
        growth.take(step, now: now)
    }

    private mutating func restartSamples(now: Time) {
        for index in connections.indices { connections[index].sample?.restart() }
        growth.restart(now: now)
    }

    /// The server does not serve more than this.
    private mutating func settle(for count: Int, isRefused: Bool = false) {
        wanted = min(wanted, max(1, count))
        // Where the user gave a number, later files have fewer only if the server asked for that.
        if isAutomatic || isRefused { growth.conclude(wanted) }
    }

    /// One more after each while without a refusal. Each refusal doubles that time.
    private mutating func recover(now: Time) {
        guard let last = lastRefusal, wanted < most, left >= Self.leastToGrow,
            QuietTime.regained(now - max(last, quietUntil), doublings: refusals - 1) > 0
        else { return }
        wanted += 1
        lastRefusal = now
    }

    /// The first connection reads on to the end, and skips what is filled.
    private mutating func stopHelping(now: Time) -> [Action] {
        mayHelp = false
        settle(for: 1)
        guard let first, let index = index(of: first) else { return open(now: now) }
        if connections[index].end == total { return [] }
        connections[index].end = total
        return [.end(first, at: total)]
    }
}
