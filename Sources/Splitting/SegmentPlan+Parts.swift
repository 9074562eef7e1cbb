import HTTPResumption
import Timing

/// Which part of the file each connection fetches.
extension SegmentPlan {
    package static let mostGaps = 32
    private static let alignment: Int64 = 64 << 10
    /// The server sees a connection this much longer after it was cut.
    private static let linger = Duration.milliseconds(100)
    /// How many answers it takes until a connection is as fast as the others.
    private static let answersToFullSpeed = 3
    private static let mostReplaced = 32

    mutating func open(now: Time) -> [Action] {
        cuts.removeAll { now - $0 >= Self.linger }
        var actions: [Action] = []
        while connections.isEmpty
            ? mayGoOn(now) : mayOpenHelper(now) && connections.count + cuts.count < wanted
        {
            guard let range = unassigned ?? steal(now, &actions) ?? secondTry(now) else { break }
            actions.append(.open(nextID, range))
            connections.append(Connection(id: nextID, range: range, opened: now, began: nil))
            nextID += 1
            if allowance != .max { allowance -= 1 }
        }
        return actions
    }

    /// What is filled, or is being fetched.
    private var assigned: FilledRanges {
        var assigned = filled
        for connection in connections where connection.rest > 0 {
            assigned.insert(connection.position..<connection.end)
        }
        return assigned
    }

    /// The first gap that nobody works on, and that is worth a request: small ones are left to the first connection.
    private var unassigned: Range<Int64>? {
        let least = isAutomatic && first != nil ? Self.leastSize : 0
        return assigned.gaps(in: 0..<total).first { $0.count >= least }
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
        let border = (owner.end - Int64(taken) + Self.alignment / 2) / Self.alignment * Self.alignment
        let least = isAutomatic ? Self.leastSize : 1
        guard border > owner.position, owner.end - border >= least else { return nil }
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

    /// The first connection has come to the part of another that has brought nothing, and may never. The end of that part.
    func unproven(behind index: Int) -> Int64? {
        let end = connections[index].end
        return connections.first { $0.began == nil && $0.position <= end && $0.end > end }?.end
    }

    /// Whether the first connection has read on into this one's part before it was there.
    func isTooLate(_ index: Int) -> Bool {
        guard let first, connections[index].id != first, let reader = self.index(of: first) else { return false }
        return connections[reader].end == connections[index].end
            && connections[reader].position > connections[index].position
    }

    /// How far the first connection reads on from the end of its part; `nil` if it ends there.
    func nextEnd(ofFirst index: Int, _ now: Time) -> Int64? {
        unproven(behind: index) ?? gapWorthReadingOn(from: index, now)
            ?? (mayEndFirst(now) ? nil : nextMissing(after: connections[index].position))
    }

    /// The first connection has come to a part that is filled, or that nobody fetches any more. The end of the gap behind
    /// it, if reading what is filled again takes less time than another request. What it has read already costs nothing.
    private func gapWorthReadingOn(from index: Int, _ now: Time) -> Int64? {
        let (end, position) = (connections[index].end, connections[index].position)
        guard let gap = assigned.firstGap(in: 0..<total), gap.lowerBound >= end,
            filled.firstGap(in: end..<gap.lowerBound) == nil,
            Double(gap.lowerBound - position) <= connections[index].speed.rate(now) * answer.inSeconds
        else { return nil }
        return gap.upperBound
    }

    /// The end of the first part from `position` on that is not filled.
    private func nextMissing(after position: Int64) -> Int64? {
        guard let missing = filled.firstGap(in: position..<total) else { return nil }
        let owner = connections.first { $0.position <= missing.lowerBound && missing.lowerBound < $0.end }
        return owner?.end ?? assigned.firstGap(in: missing.lowerBound..<total)?.upperBound
    }

    /// Ends those that have nothing left to bring, and have not been asked for just that.
    mutating func closeFinished(now: Time) -> [Action] {
        let mayEndFirst = mayEndFirst(now)
        return connections.filter { connection in
            if connection.id == first, !mayEndFirst { return false }
            return connection.end < connection.asked && connection.rest == 0
                || connection.rest > 0 && filled.firstGap(in: connection.position..<connection.end) == nil
        }
        .map { cut($0.id, now: now) }
    }

    /// Ends a connection that has crawled for a second. Another gets its part.
    mutating func replaceCrawling(now: Time) -> [Action] {
        for index in connections.indices {
            let connection = connections[index]
            let speed = connection.speed.rate(now)
            // Those that have brought nothing yet are given more time.
            let isKnown = connection.began.map { now - $0 >= Speedometer.window } ?? false
            if isKnown { usualSpeed = max(usualSpeed, speed) }
            if !isKnown || speed >= usualSpeed / 10 || connection.slow.map({ speed > $0.speed * 1.5 }) ?? false {
                // As fast as others, or about to be.
                connections[index].slow = nil
            } else if connection.slow == nil {
                connections[index].slow = (now, speed)
            }
        }
        // Where nothing comes at all, another connection would do no better.
        guard replaced < Self.mostReplaced, connections.contains(where: { !$0.isSilent(now) }),
            let slow = connections.first(where: {
                $0.isSlow(for: .seconds(1), now) && ($0.id != first || mayEndFirst(now))
            })
        else { return [] }
        replaced += 1
        // Where all have become slow, this replaces a few and not each.
        usualSpeed /= 2
        return [cut(slow.id, now: now)]
    }

    mutating func cut(_ id: Int, now: Time) -> Action {
        connections.removeAll { $0.id == id }
        if first == id { first = nil }
        cuts.append(now)
        return .close(id)
    }

    package func index(of id: Int) -> Int? {
        for index in connections.indices where connections[index].id == id { return index }
        return nil
    }

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
    struct Connection {
        let id: Int
        let opened: Time
        /// When its first bytes came.
        var began: Time?
        /// Where its request begins and ends.
        private let start: Int64
        let asked: Int64
        var position: Int64
        /// Where its part ends: others may have taken some of what it was asked for.
        var end: Int64
        var speed: Speedometer
        /// Since the number of connections changed, or a window began. The first block came at once, and does not count.
        var sample: SpeedSample?
        /// When its last bytes came.
        var heard: Time
        /// Since when it has been much slower than others, and how fast it was then.
        var slow: (since: Time, speed: Double)?

        init(id: Int, range: Range<Int64>, asked: Int64? = nil, opened: Time, began: Time?) {
            self.id = id
            self.opened = opened
            self.began = began
            (start, position) = (range.lowerBound, range.lowerBound)
            (end, self.asked) = (range.upperBound, asked ?? range.upperBound)
            speed = Speedometer(range.lowerBound, began ?? opened)
            heard = began ?? opened
            sample = began.map { SpeedSample(range.lowerBound, $0) }
        }

        var rest: Int64 { max(0, end - position) }
        var brought: Int64 { position - start }

        mutating func note(_ position: Int64, _ now: Time) {
            self.position = position
            speed.note(position, now)
            heard = now
            if sample == nil { sample = SpeedSample(position, now) } else { sample?.note(position, now) }
        }

        /// Bytes are told at least every quarter of a second.
        func isSilent(_ now: Time) -> Bool { now - heard > Speedometer.window * 2 }

        func isSlow(for time: Duration, _ now: Time) -> Bool { slow.map { now - $0.since >= time } ?? false }
    }
}
