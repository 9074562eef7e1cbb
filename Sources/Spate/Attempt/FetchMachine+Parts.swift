import HTTPResumption
import HTTPTransport
import PartialFiles

/// Several connections for one file. Feeds the ``SegmentPlan`` and turns its actions into the attempt's.
///
/// The file takes its next step when all connections have ended. So nobody writes to a file that is truncated, closed or
/// published.
extension FetchMachine {
    struct Division {
        fileprivate(set) var plan: SegmentPlan
        let divisible: DivisibleFile
        /// Distinguishes this division from a later one of the same attempt.
        let number: Int
        fileprivate let start: Time
        /// What the host allowed at the last check.
        fileprivate var room: HostRoom
        fileprivate var isFirstRunning = true
        /// Whether a part was requested.
        var hadHelp = false
        /// Why no connection can continue; `nil` while one can.
        fileprivate(set) var outcome: Outcome?

        var host: HTTPOrigin { divisible.route.address.origin }
    }

    enum Outcome {
        /// The last connection was cut, the file cannot be written, or, with no failure, the attempt was cancelled.
        case end(FetchFailure?)
        /// The last connection was refused. The first connection asks for the rest and decides.
        case refused
        /// Two connections brought different bytes where their parts meet.
        case differs
    }

    /// What follows when all connections of a divided file have ended.
    enum DividedEnd {
        case end(FetchFailure?)
        case publish(size: Int64)
        /// The file starts over on one connection, or fails.
        case anew(Conclusion)
        /// The first connection asks for what is missing.
        case alone
    }

    /// Lets other connections fetch parts of the file. Returns the number of the division; `nil` if the file is too small.
    ///
    /// - Parameters:
    ///   - count: how many connections the user wants; `nil` to find out.
    ///   - known: how many helped with this host before, or were allowed there.
    ///   - position: where the first connection is.
    mutating func divide(
        _ divisible: DivisibleFile,
        count: Int?,
        known: Int?,
        room: HostRoom,
        position: Int64,
        _ moment: Moment
    ) -> Int? {
        let plan = SegmentPlan(
            total: divisible.total,
            filled: moment.filled,
            count: count,
            known: known,
            position: position,
            asked: divisible.end,
            answer: divisible.answer,
            now: .zero
        )
        guard plan.mayGrow else { return nil }
        divisionCount += 1
        division = Division(plan: plan, divisible: divisible, number: divisionCount, start: moment.time, room: room)
        return divisionCount
    }

    /// How many connections have not ended.
    var openCount: Int { parts.count + (division?.isFirstRunning ?? true ? 1 : 0) }

    /// Whether the plan still needs this connection.
    func mayGoOn(_ id: Int) -> Bool { division?.outcome == nil && division?.plan.index(of: id) != nil }

    // MARK: Events

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
        switch conclude(finish, moment) {
        // The response that began the division had a body, so it was not a 304.
        case .send, .publish, .unchanged: return .complete
        case .end(let failure):
            let failure = failure ?? FetchFailure(connection.noResponse)
            return failure.isOfDisk ? .disk(failure) : .cut(failure)
        }
    }

    /// A connection has ended.
    mutating func ended(_ id: Int, _ end: Connection.End, room: HostRoom, _ moment: Moment) -> [Action] {
        if id == 0 { division?.isFirstRunning = false } else { parts.removeAll { $0.id == id } }
        division?.room = room
        return note(end, of: id, moment) + [.report]
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

    /// Call this ten times a second, until it returns `nil`.
    mutating func tick(
        isLimited: Bool,
        idleProcessors: Double?,
        room: HostRoom,
        _ moment: Moment
    ) -> [Action]? {
        guard division != nil, division?.outcome == nil, openCount > 0 else { return nil }
        division?.room = room
        if let idleProcessors { division?.plan.hasIdleProcessor = idleProcessors >= Self.leastIdle }
        return perform(moment) { $0.restrict(isLimited, now: $1) } + perform(moment) { $0.tick(now: $1) }
    }

    /// The least idle processors for one more connection.
    private static let leastIdle = 0.9

    func needsProcessor(_ now: Time) -> Bool {
        division.map { $0.plan.needsProcessor(now: now - $0.start) } ?? false
    }

    /// Ends all connections: the file cannot be written, or its parts do not fit.
    private mutating func stop(because outcome: Outcome) -> [Action] {
        if division?.outcome == nil { division?.outcome = outcome }
        // A connection that is being opened is cancelled as soon as its transfer is known.
        for index in parts.indices { _ = parts[index].close() }
        return transfers.map { .cancel($0) }
    }

    /// The attempt was cancelled.
    mutating func stopDivision() {
        if division?.outcome == nil { division?.outcome = .end(nil) }
    }

    private mutating func perform(
        _ moment: Moment,
        _ event: (inout SegmentPlan, _ now: Duration) -> [SegmentPlan.Action]
    ) -> [Action] {
        // Taken out, so that the plan is changed in place.
        guard division?.outcome == nil, var division = division.take() else { return [] }
        // A connection that the plan closed counts until its transfer has ended.
        let requestsLeft = budget.left(filled: moment.filled.count)
        let left = max(0, division.plan.most - parts.count - (division.isFirstRunning ? 1 : 0))
        division.plan.allowance = min(division.room.helpers, left, requestsLeft)
        division.plan.mayAsk = requestsLeft > 0
        division.plan.mayReplaceFirst = division.room.mayReplaceFirst
        let planned = event(&division.plan, moment.time - division.start)
        self.division = division
        if planned.isEmpty { return [] }
        return follow(planned) + [.report]
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
                parts.append(Connection(id, .part(range), route))
                actions.append(.open(id, isOnly: isOnly))
                division?.room.helpers -= 1
                isOnly = false
            // `wrote` stops it when it gets there.
            case .end: continue
            case .close(let id):
                if let transfer = change(id, { $0.close() }) ?? nil { actions.append(.cancel(transfer)) }
            }
        }
        return actions
    }

    // MARK: The end

    /// All connections have ended.
    mutating func concludeDivision(_ filled: FilledRanges) -> DividedEnd {
        guard let division else { return .alone }
        leaveDivision(hadHelp: division.hadHelp, staysAlone: !division.plan.mayHelp)
        if case .end(let failure?) = division.outcome, failure.isOfDisk { return .end(failure) }
        if case .differs = division.outcome { return .anew(beginAnew(filled)) }
        let total = division.divisible.total
        if filled == FilledRanges(upTo: total) { return .publish(size: total) }
        if case .end(let failure) = division.outcome { return .end(failure) }
        goOnAlone(filled)
        return .alone
    }
}
