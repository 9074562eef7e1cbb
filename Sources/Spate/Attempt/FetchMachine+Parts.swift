import HTTPResumption
import HTTPTransport
import PartialFiles

/// Several connections for one file: what the ``SegmentPlan`` says is done, and what their ends mean.
///
/// The file goes on to its next step when all of them have ended, so nobody writes to a file that is cut, closed or
/// published.
extension FetchMachine {
    struct Division {
        fileprivate(set) var plan: SegmentPlan
        let divisible: DivisibleFile
        /// Tells it from another one of the same attempt.
        let number: Int
        fileprivate let start: Time
        /// What the host allowed when it was looked at last.
        fileprivate var room: HostRoom
        fileprivate var isFirstRunning = true
        /// Whether a part was asked for.
        var hadHelp = false
        /// Why the file can get no further, once that is known.
        fileprivate(set) var outcome: Outcome?

        var host: HTTPOrigin { divisible.route.address.origin }
    }

    enum Outcome {
        /// The last connection was cut, the file cannot be written, or, with no failure, the attempt was cancelled.
        case end(FetchFailure?)
        /// The last connection was refused: the first connection's rules decide what that means.
        case refused
        /// Two connections brought different bytes where their parts meet.
        case differs
    }

    /// What follows when all connections of a divided file have ended.
    enum DividedEnd {
        case end(FetchFailure?)
        case publish(size: Int64)
        /// All begins anew on one connection, or fails.
        case anew(Conclusion)
        /// The first connection asks for what is missing.
        case alone
    }

    /// Other connections may fetch parts of the file from now on. Returns the number of the division; `nil` if the file is too
    /// small for one.
    ///
    /// - Parameters:
    ///   - count: how many connections; `nil` to find out.
    ///   - known: how many are known to help with this host, or to be allowed there.
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

    /// Whether a connection that was redirected is still wanted.
    func mayGoOn(_ id: Int) -> Bool { division?.outcome == nil && division?.plan.index(of: id) != nil }

    // MARK: Events

    /// A connection has written everything up to `position`. Returns whether it goes on.
    mutating func wrote(_ id: Int, through position: Int64, _ moment: Moment) -> (goesOn: Bool, actions: [Action]) {
        if division == nil { return (true, []) }
        let actions = perform(moment) { plan, now in
            plan.began(id, now: now)
            return plan.advanced(id, to: position, now: now)
        }
        return (mayGoOn(id), actions)
    }

    /// How a connection has ended beside others.
    mutating func end(of id: Int, _ finish: Connection.Finish, _ moment: Moment) -> Connection.End {
        if case .differs = finish.fault { return .differs }
        guard let connection = self[id] else { return .refused(.failed) }
        if case .part(let range) = connection.role { return connection.endOfPart(range, finish) }
        switch conclude(finish, moment) {
        // A division begins with a body, so the file has changed.
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
        // One that the plan has closed is no news.
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

    /// To be called ten times a second. `nil` if that is over.
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

    /// How many processors another connection needs, or nearly.
    private static let leastIdle = 0.9

    func needsProcessor(_ now: Time) -> Bool {
        division.map { $0.plan.needsProcessor(now: now - $0.start) } ?? false
    }

    /// The file cannot be written, or its parts do not fit: all end.
    private mutating func stop(because outcome: Outcome) -> [Action] {
        if division?.outcome == nil { division?.outcome = outcome }
        // One that is about to be opened learns it then.
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
        // Taken out, so that it is changed in place.
        guard division?.outcome == nil, var division = division.take() else { return [] }
        // One that the plan has closed is open until its transfer has ended.
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
        // The plan opens one in any case if nobody is left.
        var isOnly = plan.connectionCount == opened
        var actions: [Action] = []
        for action in planned {
            switch action {
            case .open(let id, let range):
                parts.append(Connection(id, .part(range), route))
                actions.append(.open(id, isOnly: isOnly))
                division?.room.helpers -= 1
                isOnly = false
            // It is told when it has written up to there.
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
