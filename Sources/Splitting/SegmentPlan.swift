package import SpateHTTPResumption
import SpateHosts

/// Which connection fetches which part of a file.
///
/// A file begins on one connection, which requested everything. If more connections are faster, helpers fetch parts of
/// the rest: each takes one from the end of the range that would end last, and then the next one. The first connection
/// continues even if the others fail.
///
/// It has no clock, no lock and no file. Each event states its time, counted from any moment, and returns actions.
package struct SegmentPlan {
    package typealias Time = Duration

    package enum Action: Hashable, Sendable {
        /// Request this range on another connection.
        case open(Int, Range<Int64>)
        /// This connection fetches up to here and no further.
        case end(Int, at: Int64)
        /// End this connection: others have its bytes, or will.
        case close(Int)
        /// End this connection: it crawls or is silent. Another one for its part should not go to the same address.
        case replace(Int)
        /// This connection may crawl. Find out where another one could go.
        case suspect(Int)
    }

    /// How a connection ended.
    package enum End: Hashable, Sendable {
        /// It received all that it requested.
        case complete
        /// It broke or stalled, or the response was unusable. The received bytes stay.
        case failed
        /// The server has enough connections for now.
        case busy(retryAfter: Duration)
        /// The server does not send parts of this file, or has another file now. Do not ask again.
        case useless
    }

    /// Smaller files have one connection.
    package static let leastSize: Int64 = 1 << 20
    /// With less than this left, do not try more connections.
    package static let leastToGrow: Int64 = 8 << 20
    package static let mostAutomatic = 16
    /// Beyond this rate, in bytes per second, a connection needs much of a processor.
    private static let leastBusyRate = 256.0 * 1_048_576
    private static let mostRefusals = 5
    private static let leastPatience = Duration.seconds(2)

    let total: Int64
    var filled: FilledRanges
    /// The number of connections to have.
    private(set) var wanted: Int
    /// How many more connections the host allows.
    package var allowance = Int.max
    /// How many bytes a new connection may fetch at a time; `nil` for as many as it likes.
    package var mostOfPart: Int64?
    /// Whether the host would allow another connection in place of the first one, or of a helper that has
    /// taken its place.
    package var mayReplaceFirst = true
    /// Whether the attempt may send another request at all.
    package var mayAsk = true
    /// Whether the host has addresses that none has found slow.
    package var hasOtherAddress = false
    /// Whether the machine has a processor for another connection.
    package var hasIdleProcessor = true

    /// Whether only one connection may run for now, even if more would be faster.
    private(set) var isRestricted = false

    /// A new connection waits no longer, about as long as the first did, unless bytes of others stand before its answer.
    private let promptAnswer: Duration
    /// Whether the last new connection was answered about as soon as the first. Then the line is not full.
    private(set) var isPrompt = false
    let isAutomatic: Bool
    /// The most connections at any time.
    package let most: Int
    var connections: [Connection]
    var nextID = 1
    /// The connection that requested everything, until it ends.
    var first: Int? = 0
    /// How long a request takes to receive its first byte.
    var answer: Duration
    /// How long a helper may wait for its first byte.
    private let patience: Duration
    /// How many connections the host allowed, if it has refused more.
    package private(set) var lesson: Int?
    /// The best recent speed of one connection.
    var usualSpeed = 0.0
    /// When connections were closed that the server may still see.
    var cuts: [Time] = []
    /// How many connections are open and have nothing to fetch.
    var idle = 0
    /// How many crawling connections were replaced.
    var replaced = 0
    /// How many connections were replaced and have no follower yet.
    var unsought = 0
    /// The ends of the parts that had a second try. Where both crawl, a third one would, too.
    var triedAgain: [Int64] = []
    package private(set) var mayHelp = true
    private var failures = HelperFailures()
    private var refusals = 0
    private var lastRefusal: Time?
    /// Until when the server wants no more requests.
    private(set) var quietUntil = Time.zero

    /// - Parameters:
    ///   - count: the number of connections; `nil` to find out.
    ///   - allowed: how many connections the host allows, if it has refused more.
    ///   - position: where the first connection is. It has number 0.
    ///   - asked: where its response ends; `nil` for the end of its part.
    ///   - answer: how long its request took to receive the first byte.
    package init(
        total: Int64,
        filled: FilledRanges,
        count: Int?,
        allowed: Int?,
        position: Int64,
        asked: Int64? = nil,
        answer: Duration,
        now: Time
    ) {
        self.total = total
        // The start of the bytes behind a gap is requested again, to compare it.
        self.filled = FilledRanges(upTo: filled.front)
        for range in filled.ranges where range.lowerBound > 0 && range.count > RangeRequest.seamLength {
            self.filled.insert(range.lowerBound + RangeRequest.seamLength..<range.upperBound)
        }
        self.answer = answer
        patience = max(Self.leastPatience, answer * 3)
        promptAnswer = answer * 1.15
        isAutomatic = count == nil
        // A second try needs no part of its own.
        let pieces = max(isAutomatic ? 2 : 1, Int(clamping: (total - filled.count) / Self.leastSize))
        most = min(max(1, count ?? Self.mostAutomatic), Self.mostGaps, pieces)
        wanted = min(most, max(1, allowed ?? most))
        // After a resume there may be more gaps.
        let end = self.filled.gaps(in: position..<total).first?.upperBound ?? total
        connections = [Connection(id: 0, range: position..<end, asked: asked, opened: now - answer, began: now)]
    }

    var left: Int64 { total - filled.count }

    /// Whether there may ever be a second connection.
    package var mayGrow: Bool { most > 1 }

    package var isFilled: Bool { left == 0 }

    /// Whether a helper may be opened now.
    func mayOpenHelper(_ now: Time) -> Bool {
        mayHelp && mayAsk && !isRestricted && allowance > 0 && now >= max(quietUntil, failures.pausedUntil)
    }

    /// Whether a request may follow the last connection.
    func mayGoOn(_ now: Time) -> Bool { mayAsk && now >= quietUntil }

    /// Whether the first connection, or a helper that has taken its place, may end before the file does. If not, another
    /// request might be refused, and no connection would be left.
    func mayEndFirst(_ now: Time) -> Bool {
        mayHelp && mayAsk && mayReplaceFirst && !failures.mayRepeat && now >= quietUntil
    }

    /// Whether helpers get no answer. Then no file of this host may open one.
    package var isUnanswered: Bool { failures.isUnanswered }

    package var connectionCount: Int { connections.count }

    /// The most connections at once so far.
    package internal(set) var peak = 1

    /// Whether more connections depend on an idle processor.
    package func needsProcessor(now: Time) -> Bool {
        isAutomatic && connections.count < wanted
            && rate(now) > Self.leastBusyRate / 2
    }

    /// What more connections might be good for.
    package struct Wish: Hashable, Sendable {
        package enum Need: Hashable, Sendable {
            case none
            /// Much is left.
            case more
            /// The file is nearly complete, and its last connection is slow.
            case haste
        }

        package let need: Need
        /// How many bytes are left.
        package let left: Int64
        /// See ``SegmentPlan/isPrompt``.
        package let isPrompt: Bool

        package init(_ need: Need, left: Int64, isPrompt: Bool = false) {
            (self.need, self.left, self.isPrompt) = (need, left, isPrompt)
        }
    }

    package func wish(now: Time) -> Wish { Wish(need(now), left: left, isPrompt: isPrompt) }

    private func need(_ now: Time) -> Wish.Need {
        guard isAutomatic, mayHelp, !isRestricted, refusals == 0, connections.count < wanted, now >= quietUntil,
            hasIdleProcessor || rate(now) < Self.leastBusyRate
        else { return .none }
        if left >= Self.leastToGrow { return .more }
        return isLate(now) ? .haste : .none
    }

    private func rate(_ now: Time) -> Double { connections.reduce(0) { $0 + $1.speed.rate(now) } }

    // MARK: Events

    /// A connection has received its first valid bytes.
    package mutating func began(_ id: Int, now: Time) {
        guard let index = index(of: id), connections[index].began == nil else { return }
        connections[index].began = now
        connections[index].speed = Speedometer(connections[index].position, now)
        let wait = now - connections[index].opened
        if connections[index].isNew { isPrompt = wait <= promptAnswer }
        answer = (answer + wait) / 2
        failures.noteAnswer()
    }

    /// A connection has written its bytes up to `position`.
    package mutating func advanced(_ id: Int, to position: Int64, now: Time) -> [Action] {
        guard let index = index(of: id), position > connections[index].position else { return [] }
        filled.insert(connections[index].position..<position)
        let before = connections[index].brought
        connections[index].note(position, now)
        if id != first { failures.noteAdvance(of: connections[index], from: before) }
        if isFilled {
            defer { connections = [] }
            // A connection that has received its whole request ends by itself.
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
        // No connection is left: the attempt decides.
        if connections.isEmpty, end != .complete { return [] }
        switch end {
        case .complete:
            failures.noteEnd()
            idle += 1
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

    /// A connection is not opened after all: its host has no room for it.
    package mutating func withdraw(_ id: Int) {
        connections.removeAll { $0.id == id }
        allowance = 0
    }

    /// Call this twenty times a second.
    package mutating func tick(now: Time) -> [Action] {
        if isFilled || !mayHelp || isRestricted { return [] }
        recover(now: now)
        let ended = endSilent(now: now)
        return ended + replaceCrawling(now: now) + open(now: now)
    }

    /// A rate limit was set, so one connection continues, or the limit was removed.
    package mutating func restrict(_ isRestricted: Bool, now: Time) -> [Action] {
        if isRestricted == self.isRestricted { return [] }
        self.isRestricted = isRestricted
        guard isRestricted else { return [] }
        let kept = first ?? connections.min { $0.position < $1.position }?.id
        return connections.filter { $0.id != kept }.map { cut($0.id, now: now) }
    }

    /// Ends helpers that wait too long for their first byte.
    private mutating func endSilent(now: Time) -> [Action] {
        guard first != nil || connections.contains(where: { $0.began != nil }) else { return [] }
        var actions: [Action] = []
        for helper in connections where helper.id != first && helper.began == nil && now - helper.opened >= patience {
            actions.append(replace(helper.id, now: now))
            failures.noteSilence(of: helper, now: now)
        }
        return isUnanswered ? actions + stopHelping(now: now) : actions
    }

    // MARK: How many connections

    /// Ends so many helpers, the latest first: the server does not bear them.
    package mutating func shed(_ count: Int, now: Time) -> [Action] {
        let helpers = connections.filter { $0.id != first }.suffix(max(0, min(count, connections.count - 1)))
        return helpers.map { cut($0.id, now: now) }
    }

    /// The server allows no more connections than this.
    private mutating func settle(for count: Int, isRefused: Bool = false) {
        wanted = min(wanted, max(1, count))
        // Later files have fewer connections only if the server asked for that.
        if isRefused { lesson = wanted }
    }

    /// Adds a connection after each quiet time without a refusal. Each refusal doubles that time.
    private mutating func recover(now: Time) {
        guard let last = lastRefusal, wanted < most, left >= Self.leastToGrow,
            QuietTime.regained(now - max(last, quietUntil), doublings: refusals - 1) > 0
        else { return }
        wanted += 1
        lastRefusal = now
    }

    /// The first connection continues to the end, and skips filled ranges.
    private mutating func stopHelping(now: Time) -> [Action] {
        mayHelp = false
        settle(for: 1)
        guard let first, let index = index(of: first) else { return open(now: now) }
        if connections[index].end == total { return [] }
        connections[index].end = total
        return [.end(first, at: total)]
    }
}
