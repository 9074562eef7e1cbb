import Dispatch
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// The connections that fetch one file together: its first one, and those that help it. It does what the plan says.
///
/// The file goes on to its next step when all of them have ended, so nobody writes to a file that is cut, closed or
/// published. Locks are taken in this order: the group's, a helper's, the attempt's.
final class ConnectionGroup: Sendable {
    private struct State {
        var plan: SegmentPlan
        var processors = ProcessorTime()
        /// The connections whose end has not come.
        var live: Set<Int> = [0]
        var leases: [Int: HostLease] = [:]
        /// Why the file can get no further, once that is known.
        var outcome: Outcome?
    }

    private enum Outcome {
        /// The last connection was cut, the file cannot be written, or, with no failure, the attempt was cancelled.
        case end(Fetch.Failure?)
        /// The last connection was refused: the first connection's rules decide what that means.
        case refused
        /// Two connections brought different bytes where their parts meet.
        case differs
    }

    let attempt: Attempt
    let requests: FetchRequest
    private let first: Fetch
    private let divisible: DivisibleFile
    private let host: HTTPOrigin
    private let isAutomatic: Bool
    private let start: ContinuousClock.Instant
    private let state: Locked<State>

    private static let mostAutomaticPerHost = 6
    /// How many processors another connection needs, or nearly.
    private static let leastIdle = 0.9

    /// `nil` if the file is too small to be divided, or its host is no good for it.
    init?(_ attempt: Attempt, _ first: Fetch, _ divisible: DivisibleFile, position: Int64) {
        start = attempt.runtime.now
        let host = divisible.route.address.origin
        let count: Int? = if case .exactly(let count) = attempt.connections { count } else { nil }
        let (isAlone, known) = attempt.lessons.withLock { lessons in
            (
                lessons.isAlone(host),
                count == nil ? lessons.helpfulCount(host) : lessons.allowedCount(host, now: attempt.runtime.now)
            )
        }
        if isAlone { return nil }
        let plan = SegmentPlan(
            total: divisible.total,
            filled: first.file.filled,
            count: count,
            known: known,
            position: position,
            asked: divisible.end,
            answer: divisible.answer,
            now: .zero
        )
        guard plan.mayGrow else { return nil }
        self.attempt = attempt
        self.first = first
        self.divisible = divisible
        self.host = host
        isAutomatic = count == nil
        requests = first.requests
        state = Locked(State(plan: plan))
    }

    func begin() {
        tick()
    }

    private var now: Duration { attempt.runtime.now - start }

    // MARK: What connections report

    /// A connection has written everything up to `position`; false if it is to end.
    func wrote(_ id: Int, through position: Int64) -> Bool {
        state.withLock { state in
            perform(&state) { plan in
                plan.began(id, now: now)
                return plan.advanced(id, to: position, now: now)
            }
            return state.outcome == nil && state.plan.index(of: id) != nil
        }
    }

    func firstEnded(_ conclusion: FetchState.Conclusion) {
        switch conclusion {
        // A group begins with a body, so the file has changed.
        case .send, .publish, .unchanged: ended(0, .complete)
        case .differs: ended(0, .differs)
        case .end(let failure):
            let route = divisible.route
            let failure = failure ?? Fetch.Failure(.noResponse(from: route.shown, at: route.address))
            ended(0, failure.isOfDisk ? .disk(failure) : .cut(failure))
        }
    }

    func ended(_ id: Int, _ end: Helper.End) {
        let lease = state.withLock { $0.leases[id].take() }
        if let lease { attempt.manager.feed.giveBack(lease) }
        let isOver = state.withLock { state in
            state.live.remove(id)
            note(end, of: id, &state)
            reportCount(state)
            return state.live.isEmpty
        }
        if isOver { conclude() }
    }

    private var longestWait: Duration { attempt.manager.configuration.retry.longestWait }

    /// The host has enough connections. Others must know at once how long it asks to wait.
    func isBusy(for wait: Duration) {
        guard wait > .zero else { return }
        attempt.manager.feed.note(.init(host: host, wait: min(wait, longestWait), isOfHost: true), at: [host])
    }

    /// A helper has been redirected.
    func sendAgain(_ helper: Helper) {
        let isSent = state.withLock { state in
            state.outcome == nil && state.plan.index(of: helper.id) != nil && helper.send()
        }
        if !isSent { ended(helper.id, .refused(.failed)) }
    }

    private func note(_ end: Helper.End, of id: Int, _ state: inout State) {
        let outcome: Outcome?
        let reason: SegmentPlan.End
        switch end {
        case .complete: (reason, outcome) = (.complete, nil)
        case .cut(let failure): (reason, outcome) = (.failed, .end(failure))
        case .refused(let refusal): (reason, outcome) = (refusal, .refused)
        case .busy(let wait):
            (reason, outcome) = (.busy(retryAfter: min(wait, longestWait)), .refused)
        case .disk(let failure): return stop(&state, because: .end(failure))
        case .differs: return stop(&state, because: .differs)
        }
        // One that the plan has closed is no news.
        guard state.plan.index(of: id) != nil else { return }
        perform(&state) { $0.ended(id, reason, now: now) }
        if state.plan.connectionCount == 0, !state.plan.isFilled, state.outcome == nil { state.outcome = outcome }
    }

    private func stop(_ state: inout State, because outcome: Outcome) {
        if state.outcome == nil { state.outcome = outcome }
        for id in state.live { attempt.endTransfer(id) }
    }

    // MARK: What the plan says

    private func perform(_ state: inout State, _ event: (inout SegmentPlan) -> [SegmentPlan.Action]) {
        if state.outcome != nil { return }
        let requests = attempt.requestsLeft(for: first.file)
        let feed = attempt.manager.feed
        // Downloads that ask at once must not exceed the host's number together, whatever manager they have.
        let actions = attempt.lessons.withLock { lessons in
            let others = attempt.manager.surroundings.connectionCount(host, besides: feed)
            let actions = feed.decide { hosts, now in
                let open = others + hosts.connectionCount(host)
                let automatic = isAutomatic ? max(0, Self.mostAutomaticPerHost - open) : .max
                // One that the plan has closed is open until its loop has ended it.
                let room = max(0, state.plan.most - state.live.count)
                let hostRoom = max(0, hosts.helperRoom(at: host, others: others, now: now))
                state.plan.allowance = min(automatic, hostRoom, room, requests)
                state.plan.mayAsk = requests > 0
                // The first one keeps its lease, but not its connection.
                let mayReplace = !isAutomatic || open <= Self.mostAutomaticPerHost
                state.plan.mayReplaceFirst =
                    mayReplace && hosts.helperRoom(at: host, others: max(0, others - 1), now: now) > 0
                let actions = event(&state.plan)
                for case .open(let id, _) in actions { state.leases[id] = hosts.leaseHelper(host, now: now) }
                return actions
            }
            let opens = actions.contains { if case .open = $0 { true } else { false } }
            if opens { lessons.learn(host) { $0.helped = attempt.runtime.now } }
            return actions
        }
        if actions.isEmpty { return }
        for action in actions {
            switch action {
            case .open(let id, let range): open(id, range, &state)
            // It is told when it has written up to there.
            case .end: continue
            case .close(let id): attempt.endTransfer(id)
            }
        }
        reportCount(state)
    }

    private func open(_ id: Int, _ range: Range<Int64>, _ state: inout State) {
        // From here on the file may have gaps. It is not asked for before: it costs a record of each block.
        let mayHelp = (try? first.file.allowGaps()) ?? false
        let helper = Helper(id, for: range, of: divisible, first.file, group: self)
        if mayHelp, helper.send() {
            state.live.insert(id)
            return
        }
        if let lease = state.leases[id].take() {
            // Whoever waits for it begins at once, and that takes locks.
            attempt.runtime.after(.zero) { [feed = attempt.manager.feed] in feed.giveBack(lease) }
        }
        if attempt.isStopping {
            stop(&state, because: .end(nil))
        } else {
            perform(&state) { $0.ended(id, mayHelp ? .failed : .useless, now: now) }
        }
    }

    private func reportCount(_ state: State) {
        attempt.download.attempt(attempt.number, connections: state.live.count)
    }

    private func tick() {
        let goesOn = state.withLock { state in
            guard !state.live.isEmpty, state.outcome == nil else { return false }
            if state.plan.needsProcessor(now: now), let idle = state.processors.idleCount(on: attempt.runtime) {
                state.plan.hasIdleProcessor = idle >= Self.leastIdle
            }
            perform(&state) { $0.restrict(attempt.isLimited, now: now) }
            perform(&state) { $0.tick(now: now) }
            return true
        }
        if goesOn { attempt.runtime.after(.milliseconds(100)) { [weak self] in self?.tick() } }
    }

    // MARK: The end

    /// All connections have ended.
    private func conclude() {
        let (outcome, plan) = state.withLock { ($0.outcome, $0.plan) }
        learn(from: plan, outcome)
        first.leaveGroup(hadHelp: plan.nextID > 1, staysAlone: !plan.mayHelp)
        if attempt.isStopping { return attempt.end(first, nil) }
        if case .end(let failure?) = outcome, failure.isOfDisk { return attempt.end(first, failure) }
        if case .differs = outcome { return first.beginAnew() }
        let total = divisible.total
        if first.file.filled == FilledRanges(upTo: total) { return attempt.publish(first, size: total) }
        switch outcome {
        case .end(let failure): attempt.end(first, failure)
        case .refused, .differs, nil: first.goOnAlone()
        }
    }

    /// What the next download from this host should know.
    private func learn(from plan: SegmentPlan, _ outcome: Outcome?) {
        let mixes = if case .differs = outcome { true } else { false }
        let now = attempt.runtime.now
        attempt.lessons.withLock { lessons in
            if plan.isUnanswered || mixes { lessons.learn(host) { $0.isAlone = true } }
            guard let lesson = plan.lesson else { return }
            lessons.learn(host) { known in
                if isAutomatic { known.helpful = lesson } else { known.allowed = (lesson, now) }
            }
        }
    }
}
