import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpatePartialFiles
import SpateSplitting

/// Several connections for one file. Feeds the ``SegmentPlan`` and turns its actions into the attempt's.
///
/// The file takes its next step when all connections have ended. So nobody writes to a file that is truncated, closed
/// or published.
extension FetchMachine {
    /// A part of a machine, but elsewhere in memory: most files have none.
    final class Division {
        fileprivate(set) var plan: SegmentPlan
        let divisible: DivisibleFile
        /// Distinguishes this division from a later one of the same attempt.
        let number: Int
        fileprivate let start: Time
        /// What the host allowed at the last check.
        fileprivate var room: HostRoom
        fileprivate(set) var isFirstRunning = true
        /// Whether a part was requested.
        var hadHelp = false
        /// The parts of connections that crawled or were silent, and where they went.
        var replaced: [(part: Range<Int64>, address: String)] = []
        /// Why no connection can continue; `nil` while one can.
        fileprivate(set) var outcome: Outcome?

        fileprivate init(_ plan: SegmentPlan, of divisible: DivisibleFile, number: Int, start: Time, room: HostRoom) {
            (self.plan, self.divisible, self.number) = (plan, divisible, number)
            (self.start, self.room) = (start, room)
        }

        var host: HTTPOrigin { divisible.route.address.origin }
    }

    enum Outcome {
        /// The last connection broke, the file cannot be written, or, with no failure, the attempt was cancelled.
        case end(FetchFailure?)
        /// The last connection was refused. The first connection requests the rest and decides.
        case refused
        /// Two connections received different bytes where their parts meet.
        case differs
    }

    /// Lets other connections fetch parts of the file. Returns the division's number; `nil` if the file is too small.
    ///
    /// - Parameters:
    ///   - count: how many connections the user wants; `nil` to find out.
    ///   - allowed: how many the host allows, if it has refused more.
    ///   - position: where the first connection is.
    mutating func divide(
        _ divisible: DivisibleFile,
        count: Int?,
        allowed: Int?,
        room: HostRoom,
        position: Int64,
        _ moment: Moment
    ) -> Int? {
        let plan = SegmentPlan(
            total: divisible.total,
            filled: moment.filled,
            count: count,
            allowed: allowed,
            position: position,
            asked: divisible.end,
            answer: divisible.answer,
            now: .zero
        )
        guard plan.mayGrow else { return nil }
        divisionCount += 1
        division = Division(plan, of: divisible, number: divisionCount, start: moment.time, room: room)
        return divisionCount
    }

    /// How many connections have not ended.
    var openCount: Int { parts.count + (division?.isFirstRunning ?? true ? 1 : 0) }

    /// Whether the plan still needs this connection.
    func mayGoOn(_ id: Int) -> Bool { division?.outcome == nil && division?.plan.index(of: id) != nil }

    // MARK: Events

    /// A part is answered, by the right file.
    mutating func answered(_ id: Int, _ moment: Moment) {
        if let division { division.plan.began(id, now: moment.time - division.start) }
    }

    /// A connection has written everything up to `position`.
    mutating func advanced(_ id: Int, to position: Int64, _ moment: Moment) -> [Action] {
        perform(moment) { plan, now in
            plan.began(id, now: now)
            return plan.advanced(id, to: position, now: now)
        }
    }

    /// Classifies the end of a connection for the plan.
    mutating func end(of id: Int, _ finish: Connection.Finish, _ moment: Moment) -> Connection.End {
        if case .differs = finish.fault { return .differs }
        guard let connection = self[id] else { return .refused(.failed) }
        if case .part(let range) = connection.role { return connection.endOfPart(range, finish) }
        switch conclude(finish, moment).last {
        case .end(.failed(var failure)):
            if failure.isOfDisk { return .disk(failure) }
            // While others help, their own refusals show whether the host minds them.
            failure.suspicion = nil
            return .cut(failure)
        case .end(.cancelled): return .cut(FetchFailure(connection.noResponse))
        // The response that began the division had a body, so it was not a 304.
        default: return .complete
        }
    }

    /// A connection of the divided file has ended, or could not be opened. The first keeps its lease: it may ask again.
    mutating func close(_ id: Int, _ end: Connection.End) -> [Action] {
        if isStopping, division?.outcome == nil { division?.outcome = .end(nil) }
        return [.close(id, end, id == 0 ? nil : change(id) { $0.lease.take() } ?? nil)]
    }

    /// A connection has ended.
    ///
    /// - Parameter room: what its host allows without it.
    mutating func connectionEnded(_ id: Int, _ end: Connection.End, room: HostRoom, _ moment: Moment) -> [Action] {
        if division == nil { return [] }
        if id == 0 { division?.isFirstRunning = false } else { parts.removeAll { $0.id == id } }
        division?.room = room
        let actions = note(end, of: id, moment) + [.report]
        return openCount == 0 ? actions + [.conclude] : actions
    }

    private mutating func note(_ end: Connection.End, of id: Int, _ moment: Moment) -> [Action] {
        let outcome: Outcome?
        var reason: SegmentPlan.End?
        switch end {
        case .complete: (reason, outcome) = (.complete, nil)
        case .cut(let failure): (reason, outcome) = (.failed, .end(failure))
        case .refused(let refusal): (reason, outcome) = (refusal, .refused)
        case .withdrawn: outcome = .refused
        case .disk(let failure): return stop(because: .end(failure))
        case .differs: return stop(because: .differs)
        }
        // Ignore connections that the plan closed.
        guard division?.plan.index(of: id) != nil else { return [] }
        let actions = perform(moment) { plan, now in
            if let reason { return plan.ended(id, reason, now: now) }
            plan.withdraw(id)
            return []
        }
        if let plan = division?.plan, plan.connectionCount == 0, !plan.isFilled, division?.outcome == nil {
            division?.outcome = outcome
        }
        return actions
    }

    /// Call this twenty times a second, until it returns `nil`.
    mutating func tick(
        isLimited: Bool,
        hasOtherAddress: Bool = false,
        idleProcessors: Double?,
        room: HostRoom,
        _ moment: Moment
    ) -> [Action]? {
        guard division != nil, division?.outcome == nil, openCount > 0 else { return nil }
        division?.room = room
        division?.plan.hasOtherAddress = hasOtherAddress
        if let idleProcessors { division?.plan.hasIdleProcessor = idleProcessors >= Self.leastIdle }
        return perform(moment) { $0.restrict(isLimited, now: $1) } + perform(moment) { $0.shed(room.surplus, now: $1) }
            + perform(moment) { $0.tick(now: $1) }
    }

    /// The least idle processors for one more connection.
    private static let leastIdle = 0.9

    /// What more connections might be good for; `nil` if the file is not divided.
    func wish(_ now: Time) -> SegmentPlan.Wish? {
        guard let division, division.outcome == nil else { return nil }
        return division.plan.wish(now: now - division.start)
    }

    func needsProcessor(_ now: Time) -> Bool {
        division.map { $0.plan.needsProcessor(now: now - $0.start) } ?? false
    }

    /// Ends all connections: the file cannot be written, or its parts do not fit.
    mutating func stop(because outcome: Outcome) -> [Action] {
        if division?.outcome == nil { division?.outcome = outcome }
        // A connection that is being opened is cancelled as soon as its transfer is known.
        for index in parts.indices { _ = parts[index].close() }
        return transfers.map { .cancel($0) }
    }

    private mutating func perform(
        _ moment: Moment,
        _ event: (inout SegmentPlan, _ now: Duration) -> [SegmentPlan.Action]
    ) -> [Action] {
        guard let division, division.outcome == nil else { return [] }
        // A connection that the plan closed counts until its transfer has ended.
        let requestsLeft = budget.left(filled: moment.filled.count)
        let left = max(0, division.plan.most - parts.count - (division.isFirstRunning ? 1 : 0))
        let room = division.room
        division.plan.allowance = min(room.helpers, left, requestsLeft)
        division.plan.mostOfPart = room.mostOfPart
        division.plan.mayAsk = requestsLeft > 0
        division.plan.mayReplaceFirst = division.isFirstRunning ? room.mayReplaceFirst : room.mayReplaceHelper
        let planned = event(&division.plan, moment.time - division.start)
        if planned.isEmpty { return [] }
        let actions = follow(planned)
        return planned.contains { if case .suspect = $0 { false } else { true } } ? actions + [.report] : actions
    }

    private mutating func follow(_ planned: [SegmentPlan.Action]) -> [Action] {
        guard var route = division?.divisible.route, let plan = division?.plan else { return [] }
        route.beginRequest()
        let opened = planned.count { if case .open = $0 { true } else { false } }
        // If no connection is left, the plan opens one whatever the allowance.
        var isOnly = plan.connectionCount == opened
        var actions: [Action] = []
        for action in planned {
            switch action {
            case .open(let id, let range):
                parts.append(Connection(id, .part(range), route, besides: avoidedAddresses(for: range)))
                actions.append(.open(id, isOnly: isOnly))
                division?.room.helpers -= 1
                isOnly = false
            // `wrote` stops it when it gets there.
            case .end: continue
            case .close(let id):
                if let transfer = change(id, { $0.close() }) ?? nil { actions.append(.cancel(transfer)) }
            case .replace(let id):
                if let transfer = change(id, { $0.close() }) ?? nil { actions.append(.cancel(transfer)) }
                if let failed = leaveAddress(ofReplaced: id) { actions.append(.avoid(failed)) }
            case .suspect: actions.append(.lookUp(route.address))
            }
        }
        return actions
    }

    // MARK: The end

    /// All connections have ended.
    mutating func concludeDivision(_ filled: FilledRanges) -> [Action] {
        guard let division else { return [] }
        leaveDivision(hadHelp: division.hadHelp, staysAlone: !division.plan.mayHelp)
        let differs = if case .differs = division.outcome { true } else { false }
        let isAlone = division.plan.isUnanswered || differs
        let actions: [Action] = [.learn(division.host, isAlone: isAlone, count: division.plan.lesson)]
        let drops = differs ? dropDifferentBytes(filled) : []
        let next = isStopping ? .end(.cancelled) : whatFollows(division, filled)
        return actions + drops + leaveAddress(after: [next], nil, filled)
    }

    private mutating func whatFollows(_ division: Division, _ filled: FilledRanges) -> Action {
        let total = division.divisible.total
        switch division.outcome {
        case .end(let failure?) where failure.isOfDisk: return .end(.failed(failure))
        case .differs:
            if case .fail(let failure) = first.next { return .end(.failed(failure)) }
            return .send(0)
        case _ where filled == FilledRanges(upTo: total): return .publish(size: total)
        case .end(let failure): return .end(failure.map { .failed($0) } ?? .cancelled)
        case .refused, nil:
            hold(filled)
            askForRest()
            return .send(0)
        }
    }

    /// - Parameter staysAlone: whether later attempts have one connection, too.
    mutating func leaveDivision(hadHelp: Bool, staysAlone: Bool) {
        division = nil
        if staysAlone { history.record(.alone) }
        if hadHelp {
            bytes.isJoined = true
            history.record(.helped)
        }
    }
}
