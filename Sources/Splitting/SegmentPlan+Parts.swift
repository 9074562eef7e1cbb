import SpateHTTPResumption
import SpateTiming

/// Which part of the file each connection fetches.
extension SegmentPlan {
    package static let mostGaps = 32
    private static let alignment: Int64 = 64 << 10
    /// How long the server still sees a closed connection.
    private static let linger = Duration.milliseconds(100)
    /// How many response times a connection takes to reach full speed.
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

    /// The ranges that are filled or being fetched.
    private var assigned: FilledRanges {
        var assigned = filled
        for connection in connections where connection.rest > 0 {
            assigned.insert(connection.position..<connection.end)
        }
        return assigned
    }

    /// The first gap without a connection that is worth a request. The first connection fetches the small gaps.
    private var unassigned: Range<Int64>? {
        let least = isAutomatic && first != nil ? Self.leastSize : 0
        return assigned.gaps(in: 0..<total).first { $0.count >= least }
    }

    /// Takes a range from the connection that would end last, so that all end together.
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
            // Several are about to be opened. All parts should end together.
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

    /// The rest of the slowest connection's part, for a second connection to try as well. The faster one wins.
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

    /// The end of a following part whose connection has received nothing, and may never.
    func unproven(behind index: Int) -> Int64? {
        let end = connections[index].end
        return connections.first { $0.began == nil && $0.position <= end && $0.end > end }?.end
    }

    /// Whether the first connection has already read on into this connection's part.
    func isTooLate(_ index: Int) -> Bool {
        guard let first, connections[index].id != first, let reader = self.index(of: first) else { return false }
        return connections[reader].end == connections[index].end
            && connections[reader].position > connections[index].position
    }

    /// Where the first connection should end after its part; `nil` if it should end there.
    func nextEnd(ofFirst index: Int, _ now: Time) -> Int64? {
        unproven(behind: index) ?? gapWorthReadingOn(from: index, now)
            ?? (mayEndFirst(now) ? nil : nextMissing(after: connections[index].position))
    }

    /// The first connection has reached a part that is filled or no longer fetched. Returns the end of the gap behind
    /// it, if reading the part again is faster than another request. Bytes that it has read already cost nothing.
    private func gapWorthReadingOn(from index: Int, _ now: Time) -> Int64? {
        let (end, position) = (connections[index].end, connections[index].position)
        guard let gap = assigned.firstGap(in: 0..<total), gap.lowerBound >= end,
            filled.firstGap(in: end..<gap.lowerBound) == nil,
            Double(gap.lowerBound - position) <= connections[index].speed.rate(now) * answer.inSeconds
        else { return nil }
        return gap.upperBound
    }

    /// The end of the first unfilled part from `position` on.
    private func nextMissing(after position: Int64) -> Int64? {
        guard let missing = filled.firstGap(in: position..<total) else { return nil }
        let owner = connections.first { $0.position <= missing.lowerBound && missing.lowerBound < $0.end }
        return owner?.end ?? assigned.firstGap(in: missing.lowerBound..<total)?.upperBound
    }

    /// Ends the connections with nothing left to receive, unless their requests end there anyway.
    mutating func closeFinished(now: Time) -> [Action] {
        let mayEndFirst = mayEndFirst(now)
        return connections.filter { connection in
            if connection.id == first, !mayEndFirst { return false }
            return connection.end < connection.asked && connection.rest == 0
                || connection.rest > 0 && filled.firstGap(in: connection.position..<connection.end) == nil
        }
        .map { cut($0.id, now: now) }
    }

    /// Ends a connection that has crawled for a second. Another connection gets its part.
    mutating func replaceCrawling(now: Time) -> [Action] {
        var actions: [Action] = []
        for index in connections.indices {
            let connection = connections[index]
            let speed = connection.speed.rate(now)
            // Connections without bytes get more time.
            let isKnown = connection.began.map { now - $0 >= Speedometer.window } ?? false
            if isKnown { usualSpeed = max(usualSpeed, speed) }
            if !isKnown || speed >= usualSpeed / 10 || connection.slow.map({ speed > $0.speed * 1.5 }) ?? false {
                // As fast as the others, or about to be.
                connections[index].slow = nil
            } else if connection.slow == nil {
                connections[index].slow = (now, speed)
                actions.append(.suspect(connection.id))
            }
        }
        // If no connection receives bytes, another one would not help.
        guard replaced < Self.mostReplaced, connections.contains(where: { !$0.isSilent(now) }),
            let slow = connections.first(where: {
                $0.isSlow(for: .seconds(1), now) && ($0.id != first || mayEndFirst(now))
            })
        else { return actions }
        replaced += 1
        // If all have become slow, this replaces only a few, once they have tried all addresses.
        if !hasOtherAddress { usualSpeed /= 2 }
        return actions + [replace(slow.id, now: now)]
    }

    mutating func replace(_ id: Int, now: Time) -> Action {
        _ = cut(id, now: now)
        return .replace(id)
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

    /// For a connection that began recently: it still gathers speed, unless it has proven slow.
    private func expectedSpeed(of connection: Connection, _ now: Time) -> Double {
        let speed = max(1, connection.speed.rate(now))
        let isSteady = connection.began.map { now - $0 >= max(Speedometer.window, answer * 12) } ?? false
        return isSteady || connection.isSlow(for: .milliseconds(500), now) ? speed : max(speed, expectedSpeed(now))
    }

    /// For a connection that opens now.
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
        /// When its first bytes arrived.
        var began: Time?
        /// Where its request begins and ends.
        private let start: Int64
        let asked: Int64
        var position: Int64
        /// Where its part ends. Others may have taken some of its request.
        var end: Int64
        var speed: Speedometer
        /// Since the number of connections changed, or a window began, without the first block that arrived at once.
        var sample: SpeedSample?
        /// When its last bytes arrived.
        var heard: Time
        /// When it became much slower than others, and its speed then.
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

        /// Progress is reported at least every quarter of a second.
        func isSilent(_ now: Time) -> Bool { now - heard > Speedometer.window * 2 }

        func isSlow(for time: Duration, _ now: Time) -> Bool { slow.map { now - $0.since >= time } ?? false }
    }
}
