import HTTPResumption

/// Which connection fetches which part of a file.
///
/// A file begins on one connection, which asked for everything. Where more connections are faster, others fetch parts of
/// the rest: each takes from the one that would be done last as much as makes both end together. Whatever becomes of
/// them, the first goes on.
///
/// It has no clock, no lock and no file. Each event says when it happens, counted from any moment, and returns what to do.
struct SegmentPlan {
    typealias Time = Duration

    enum Action: Hashable, Sendable {
        /// Ask for this range on another connection.
        case open(Int, Range<Int64>)
        /// This connection fetches up to here and no further.
        case end(Int, at: Int64)
        /// End this connection: others have, or will bring, what it would.
        case close(Int)
    }

    /// How a connection ended.
    enum End: Hashable, Sendable {
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
    static let leastSize: Int64 = 1 << 20
    /// With less than this left, more connections are not tried out.
    private static let leastToGrow: Int64 = 8 << 20
    private static let mostAutomatic = 4
    private static let mostGaps = 32
    private static let alignment: Int64 = 64 << 10
    /// The server sees a connection this much longer after it was cut.
    private static let linger = Duration.milliseconds(100)
    /// How many answers it takes until a connection is as fast as the others.
    private static let answersToFullSpeed = 3
    private static let mostReplaced = 32
    private static let mostRefusals = 5

    let total: Int64
    private(set) var filled: FilledRanges
    /// How many connections there should be.
    private(set) var wanted: Int
    /// How many more the host allows.
    var allowance = Int.max

    private let isAutomatic: Bool
    /// The most that there may ever be.
    private let most: Int
    private var connections: [Connection]
    private var nextID = 1
    /// The connection that asked for everything, until it ends.
    private var first: Int? = 0
    /// How long a request takes to bring its first byte.
    private var answer: Duration
    private var growth: ConnectionGrowth
    /// The best speed of one connection that was seen lately.
    private var usualSpeed = 0.0
    /// When connections were cut that the server may still see.
    private var cuts: [Time] = []
    /// How many crawling connections were replaced.
    private var replaced = 0
    private var mayHelp = true
    private var failures = 0
    private var lastFailure: Time?
    private var refusals = 0
    private var lastRefusal: Time?
    private var quietUntil = Time.zero

    /// - Parameters:
    ///   - count: how many connections; `nil` to find out.
    ///   - known: how many are known to help with this host, or, with a count, to be allowed there.
    ///   - position: where the first connection is, which has number 0.
    ///   - answer: how long its request took to bring its first byte.
    init(
        total: Int64,
        filled: FilledRanges,
        count: Int?,
        known: Int?,
        position: Int64,
        answer: Duration,
        now: Time
    ) {
        self.total = total
        self.filled = filled
        self.answer = answer
        isAutomatic = count == nil
        let pieces = max(1, Int(clamping: (total - filled.count) / Self.leastSize))
        most = min(max(1, count ?? Self.mostAutomatic), Self.mostGaps, pieces)
        wanted = isAutomatic ? 1 : min(most, max(1, known ?? most))
        growth = ConnectionGrowth(known: isAutomatic ? known : nil, now: now)
        connections = [Connection(id: 0, range: position..<total, opened: now - answer, began: now)]
    }

    private var left: Int64 { total - filled.count }

    var isFilled: Bool { left == 0 }

    var connectionCount: Int { connections.count }

    /// How many connections helped or were allowed, for the next download from this host; `nil` if that is not known.
    var lesson: Int? { growth.lesson }

    // MARK: Events

    /// The first valid bytes of a connection have come.
    mutating func began(_ id: Int, now: Time) {
        guard let index = index(of: id), connections[index].began == nil else { return }
        connections[index].began = now
        connections[index].speed = Speedometer(connections[index].position, now)
        answer = (answer + now - connections[index].opened) / 2
        failures = 0
        restartSamples(now: now)
    }

    /// A connection has written everything up to `position`, from where it was before.
    mutating func advanced(_ id: Int, to position: Int64, now: Time) -> [Action] {
        guard let index = index(of: id), position > connections[index].position else { return [] }
        filled.insert(connections[index].position..<position)
        connections[index].note(position, now)
        if isFilled {
            defer { connections = [] }
            return connections.map { .close($0.id) }
        }
        guard connections[index].rest == 0, mayHelp || id != first else { return [] }
        if id == first, let gap = gapWorthReadingOn(from: index, now) {
            connections[index].end = gap
            return [.end(id, at: gap)]
        }
        return closeFinished(now: now) + open(now: now)
    }

    mutating func ended(_ id: Int, _ end: End, now: Time) -> [Action] {
        guard let index = index(of: id) else { return [] }
        let connection = connections.remove(at: index)
        if first == id { first = nil }
        // Nobody is left: the attempt decides.
        if connections.isEmpty, end != .complete { return [] }
        switch end {
        case .complete: break
        case .failed:
            // Those that were under way at the last failure count with it.
            if lastFailure.map({ connection.opened > $0 }) ?? true { failures += 1 }
            lastFailure = now
            if failures >= 2 { return stopHelping(now: now) }
            if connection.began == nil { settle(for: connections.count) }
        case .busy(let wait):
            if lastRefusal.map({ connection.opened > $0 }) ?? true {
                refusals += 1
                settle(for: (connections.count + 1) / 2)
            }
            lastRefusal = now
            quietUntil = max(quietUntil, now + min(wait, .seconds(300)))
            if refusals > Self.mostRefusals { return stopHelping(now: now) }
        case .useless: return stopHelping(now: now)
        }
        return open(now: now)
    }

    /// To be called ten times a second.
    mutating func tick(now: Time) -> [Action] {
        if isFilled || !mayHelp { return [] }
        if isAutomatic, refusals == 0 { grow(now: now) }
        recover(now: now)
        return replaceCrawling(now: now) + open(now: now)
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
    private mutating func settle(for count: Int) {
        wanted = min(wanted, max(1, count))
        growth.conclude(wanted)
    }

    /// One more for each ten seconds without a refusal. Each refusal doubles that time.
    private mutating func recover(now: Time) {
        guard let last = lastRefusal, wanted < most, left >= Self.leastToGrow,
            now - max(last, quietUntil) >= .seconds(10 << (refusals - 1))
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

    // MARK: Who fetches what

    private mutating func open(now: Time) -> [Action] {
        cuts.removeAll { now - $0 >= Self.linger }
        var actions: [Action] = []
        while connections.isEmpty
            || mayHelp && now >= quietUntil && allowance > 0 && connections.count + cuts.count < wanted
        {
            guard let range = unassigned ?? steal(now, &actions) ?? secondTry(now) else { break }
            actions.append(.open(nextID, range))
            connections.append(Connection(id: nextID, range: range, opened: now, began: nil))
            nextID += 1
            if allowance != .max { allowance -= 1 }
        }
        return actions
    }

    /// The first gap that nobody works on.
    private var unassigned: Range<Int64>? {
        var covered = filled
        for connection in connections where connection.rest > 0 { covered.insert(connection.position..<connection.end) }
        return covered.gaps(in: 0..<total).first
    }

    /// Takes from the connection that would be done last as much as makes all end together.
    private mutating func steal(_ now: Time, _ actions: inout [Action]) -> Range<Int64>? {
        guard filled.gaps(in: 0..<total).count < Self.mostGaps,
            let index = connections.indices.max(by: { timeLeft(of: $0, now) < timeLeft(of: $1, now) })
        else { return nil }
        let owner = connections[index]
        let speed = expectedSpeed(of: owner, now)
        let newSpeed = expectedSpeed(now)
        let wait = (answer * Self.answersToFullSpeed).inSeconds
        var taken = newSpeed * (Double(owner.rest) - speed * wait) / (speed + newSpeed)
        let newcomers = Double(wanted - connections.count)
        if newcomers > 1 {
            // Several are about to be opened: all parts are to end together.
            let speeds = connections.reduce(newcomers * newSpeed) { $0 + expectedSpeed(of: $1, now) }
            taken = min(taken, connections.reduce(0) { $0 + Double($1.rest) } * newSpeed / speeds)
        }
        guard taken >= Double(Self.alignment) else { return nil }
        let border = (owner.end - Int64(taken) + Self.alignment - 1) / Self.alignment * Self.alignment
        guard border > owner.position, border < owner.end else { return nil }
        connections[index].end = border
        actions.append(.end(owner.id, at: border))
        return border..<owner.end
    }

    /// What is left of the slowest connection's part, for another to try as well: the one that is first wins.
    private func secondTry(_ now: Time) -> Range<Int64>? {
        let patience = max(0.3, (answer * 2).inSeconds)
        let slow = connections.indices.filter { index in
            let connection = connections[index]
            let isTriedOnce = !connections.contains { $0.id != connection.id && $0.end == connection.end }
            return connection.rest > 0 && isTriedOnce && timeLeft(of: index, now) > patience
        }
        return slow.max { timeLeft(of: $0, now) < timeLeft(of: $1, now) }
            .map { connections[$0].position..<connections[$0].end }
    }

    /// The first connection has come to a part that is filled. The end of the gap behind it, if reading that part again
    /// takes less time than another request.
    private func gapWorthReadingOn(from index: Int, _ now: Time) -> Int64? {
        let end = connections[index].end
        guard let gap = unassigned, gap.lowerBound > end, filled.gaps(in: end..<gap.lowerBound).isEmpty,
            Double(gap.lowerBound - end) < connections[index].speed.rate(now) * answer.inSeconds
        else { return nil }
        return gap.upperBound
    }

    /// Ends those that have nothing left to bring, and have not been asked for just that.
    private mutating func closeFinished(now: Time) -> [Action] {
        connections.filter { connection in
            connection.end < connection.asked && connection.rest == 0
                || connection.rest > 0 && filled.gaps(in: connection.position..<connection.end).isEmpty
        }
        .map { cut($0.id, now: now) }
    }

    /// Ends a connection that has crawled for a second. Another gets its part.
    private mutating func replaceCrawling(now: Time) -> [Action] {
        for index in connections.indices {
            let connection = connections[index]
            let speed = connection.speed.rate(now)
            let isKnown = now - (connection.began ?? connection.opened + answer * 3) >= Speedometer.window
            if isKnown { usualSpeed = max(usualSpeed, speed) }
            if !isKnown || speed >= usualSpeed / 10 || connection.slow.map({ speed > $0.speed * 1.5 }) ?? false {
                // As fast as others, or about to be.
                connections[index].slow = nil
            } else if connection.slow == nil {
                connections[index].slow = (now, speed)
            }
        }
        guard replaced < Self.mostReplaced, let slow = connections.first(where: { $0.isSlow(for: .seconds(1), now) })
        else { return [] }
        replaced += 1
        // Where all have become slow, this replaces a few and not each.
        usualSpeed /= 2
        return [cut(slow.id, now: now)]
    }

    private mutating func cut(_ id: Int, now: Time) -> Action {
        connections.removeAll { $0.id == id }
        if first == id { first = nil }
        cuts.append(now)
        return .close(id)
    }

    private func index(of id: Int) -> Int? { connections.firstIndex { $0.id == id } }

    // MARK: How fast

    private func timeLeft(of index: Int, _ now: Time) -> Double {
        Double(connections[index].rest) / expectedSpeed(of: connections[index], now)
    }

    /// Of one that has begun lately: it still gathers speed, unless it has shown to be slow.
    private func expectedSpeed(of connection: Connection, _ now: Time) -> Double {
        let speed = max(1, connection.speed.rate(now))
        let isSteady = connection.began.map { now - $0 >= max(Speedometer.window, answer * 12) } ?? false
        return isSteady || connection.isSlow(for: .milliseconds(500), now) ? speed : max(speed, expectedSpeed(now))
    }

    /// Of one that is opened now.
    private func expectedSpeed(_ now: Time) -> Double {
        let speeds = connections.filter { $0.began != nil }.map { $0.speed.rate(now) }.sorted()
        return max(1, usualSpeed, speeds.isEmpty ? 1 : speeds[speeds.count / 2])
    }
}

extension SegmentPlan {
    /// A connection, and the part that it fetches.
    private struct Connection {
        let id: Int
        let opened: Time
        /// When its first bytes came.
        var began: Time?
        /// Where its request ends.
        let asked: Int64
        var position: Int64
        /// Where its part ends: others may have taken some of what it was asked for.
        var end: Int64
        var speed: Speedometer
        /// Since the number of connections changed, or a window began. The first block came at once, and does not count.
        var sample: SpeedSample?
        /// Since when it has been much slower than others, and how fast it was then.
        var slow: (since: Time, speed: Double)?

        init(id: Int, range: Range<Int64>, opened: Time, began: Time?) {
            self.id = id
            self.opened = opened
            self.began = began
            (position, end, asked) = (range.lowerBound, range.upperBound, range.upperBound)
            speed = Speedometer(range.lowerBound, began ?? opened)
            sample = began.map { SpeedSample(range.lowerBound, $0) }
        }

        var rest: Int64 { max(0, end - position) }

        mutating func note(_ position: Int64, _ now: Time) {
            self.position = position
            speed.note(position, now)
            if sample == nil { sample = SpeedSample(position, now) } else { sample?.note(position, now) }
        }

        func isSlow(for time: Duration, _ now: Time) -> Bool { slow.map { now - $0.since >= time } ?? false }
    }
}
