import SpateHTTPResumption
import SpateTiming

/// Which part of the file each connection fetches.
extension SegmentPlan {
    package static let mostGaps = 32
    private static let alignment: Int64 = 64 << 10
    /// The smallest part of a file that is nearly complete.
    private static let leastLatePart: Int64 = 256 << 10
    /// How long the server still sees a closed connection.
    private static let linger = Duration.milliseconds(100)
    /// How many response times a connection takes to reach full speed.
    private static let answersToFullSpeed = 3
    private static let mostReplaced = 32
    /// So many look for a quick address at a time. The others stay where they are until one is found.
    private static let mostSeekers = 4

    mutating func open(now: Time) -> [Action] {
        cuts.removeAll { now - $0 >= Self.linger }
        var actions: [Action] = []
        while connections.isEmpty
            ? mayGoOn(now) : mayOpenHelper(now) && connections.count + cuts.count < wanted
        {
            // Helpers take their parts from the end of what the only connection requests.
            let most = connections.isEmpty ? Int64.max : part(now)
            var range = unassigned.map { $0.prefix(most) } ?? steal(now, &actions)
            if range == nil, let again = secondTry(now) {
                triedAgain.append(again.upperBound)
                range = again
            }
            guard let range else { break }
            actions.append(.open(nextID, range))
            var connection = Connection(id: nextID, range: range, opened: now, began: nil)
            connection.isNew = idle == 0
            if unsought > 0 { (unsought, connection.seeks) = (unsought - 1, true) }
            connections.append(connection)
            peak = max(peak, connections.count)
            nextID += 1
            idle = max(0, idle - 1)
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
        let most = mostOfPart ?? part(now)
        let least = isAutomatic ? min(leastPart, most) : 1
        let speed = expectedSpeed(of: owner, now)
        let newSpeed = expectedSpeed(now)
        let wait = (answer * (idle > 0 ? 1 : Self.answersToFullSpeed)).inSeconds
        var taken = newSpeed * (Double(owner.rest) - speed * wait) / (speed + newSpeed)
        taken = min(taken, Double(most))
        guard taken >= Double(max(Self.alignment, least)) else { return nil }
        // Rounded, but no part becomes smaller than it may be.
        let start = min(owner.end - Int64(taken) + Self.alignment / 2, owner.end - least)
        let border = start / Self.alignment * Self.alignment
        guard border > owner.position, owner.end - border >= least else { return nil }
        connections[index].end = border
        actions.append(.end(owner.id, at: border))
        return border..<owner.end
    }

    /// How many bytes a new connection requests at most.
    ///
    /// Less than its share of what is left: a part that is requested to its end leaves a connection that has gathered
    /// speed, for the next part. One that others take a range from must be closed. But a part is large beside what comes
    /// while its request waits for its answer.
    private func part(_ now: Time) -> Int64 {
        let count = max(1, min(wanted, connections.count + min(allowance, wanted)))
        let inAnAnswer = Int64(expectedSpeed(now) * answer.inSeconds)
        return max(leastPart, left / Int64(count) * 2 / 3, inAnAnswer * 4)
    }

    /// The smallest part to take from a connection without being told to.
    private var leastPart: Int64 { left >= Self.leastToGrow ? Self.leastSize : Self.leastLatePart }

    /// The rest of the slowest connection's part, for a second connection to try as well. The faster one wins.
    private func secondTry(_ now: Time) -> Range<Int64>? {
        let patience = max(0.3, (answer * 2).inSeconds)
        let slow = connections.indices.filter { index in
            let connection = connections[index]
            let isTriedOnce = !triedAgain.contains(connection.end)
            let isSlow = isSteady(connection, now) && connection.speed.rate(now) * 3 < usualSpeed
            return connection.rest > 0 && isTriedOnce && isSlow && timeLeft(of: index, now) > patience
        }
        return slow.max { timeLeft(of: $0, now) < timeLeft(of: $1, now) }
            .map { connections[$0].position..<connections[$0].end }
    }

    /// Whether another connection would be much sooner done with the rest of the slowest.
    func isLate(_ now: Time) -> Bool {
        let patience = max(0.3, (answer * 4).inSeconds)
        return connections.indices.contains { timeLeft(of: $0, now) > patience }
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
            if isKnown, speed >= usualSpeed / 10 { connections[index].seeks = false }
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
            let slow = connections.last(where: {
                $0.isSlow(for: .seconds(1), now) && (isHelped($0) || mayEndFirst(now)) && mayBeReplaced($0)
            })
        else { return actions }
        replaced += 1
        unsought += 1
        // If all have become slow, this replaces only a few, once they have tried all addresses.
        if !hasOtherAddress { usualSpeed /= 2 }
        return actions + [replace(slow.id, now: now)]
    }

    /// Whether it may end at any time, for others go on.
    private func isHelped(_ connection: Connection) -> Bool { connection.id != first && connections.count > 1 }

    private func mayBeReplaced(_ connection: Connection) -> Bool {
        connection.seeks || connections.count { $0.seeks } + unsought < Self.mostSeekers
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

    package func index(of id: Int) -> Int? { connections.firstIndex { $0.id == id } }

    // MARK: How fast

    private func timeLeft(of index: Int, _ now: Time) -> Double {
        Double(connections[index].rest) / expectedSpeed(of: connections[index], now)
    }

    /// For a connection that began recently: it still gathers speed, unless it has proven slow.
    private func expectedSpeed(of connection: Connection, _ now: Time) -> Double {
        let speed = max(1, connection.speed.rate(now))
        let isKnown = isSteady(connection, now) || connection.isSlow(for: .milliseconds(500), now)
        return isKnown ? speed : max(speed, expectedSpeed(now))
    }

    private func isSteady(_ connection: Connection, _ now: Time) -> Bool {
        let age = connection.began.map { now - $0 } ?? .zero
        return age >= max(Speedometer.window, answer * (connection.speed.isRising ? 12 : 3))
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
        /// When its last bytes arrived.
        var heard: Time
        /// Whether it probably connects, as the first did.
        var isNew = false
        /// Whether it has replaced a slow connection, and is not known to be fast.
        var seeks = false
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
        }

        var rest: Int64 { max(0, end - position) }
        var brought: Int64 { position - start }

        mutating func note(_ position: Int64, _ now: Time) {
            self.position = position
            speed.note(position, now)
            heard = now
        }

        /// Progress is reported at least every quarter of a second.
        func isSilent(_ now: Time) -> Bool { now - heard > Speedometer.window * 2 }

        func isSlow(for time: Duration, _ now: Time) -> Bool { slow.map { now - $0.since >= time } ?? false }
    }
}

extension Range<Int64> {
    fileprivate func prefix(_ count: Int64) -> Range { count < self.count ? lowerBound..<lowerBound + count : self }
}
