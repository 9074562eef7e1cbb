import Dispatch
import Foundation
import HTTPResumption
import Locking
import Timing

/// Feeds the operation queue that runs the attempts.
///
/// The queue's `maxConcurrentOperationCount` limits how many run. Before it stands the line of downloads that wait: a few
/// words each, where an operation takes more than a kilobyte. The feed hands over as many as may run, the first in the
/// line first, and adds the next one before an operation announces its end: so no slot is idle in between.
///
/// An operation may come into the queue without the feed, because somebody asked for it or because the attempt before it
/// still holds the file. It counts from its start on. Until then it waits for its dependencies and holds no slot.
///
/// A download whose host has as many connections as it may have is passed over, and waits in that host's line.
final class OperationFeed: Sendable {
    fileprivate struct State {
        var line = WaitingLine()
        var hosts: HostLines
        /// Handed over, and not started yet, each with its host.
        var handedOver: [AttemptID: HTTPOrigin] = [:]
        /// Started, and not finished yet.
        var running = 0
        /// How many come in the calls that are under way and enqueue several.
        var announced = 0
        /// The hosts that are looked at again when their restraint changes.
        var timed: Set<HTTPOrigin> = []
        /// At most this many in the lines no longer wait.
        var stale = 0
    }

    let queue = OperationQueue()
    // The operation queue does not retain it.
    private let starts: DispatchQueue
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()
    private let state: Locked<State>
    private let runtime: Runtime
    private let start: ContinuousClock.Instant

    init(limit: Int, connectionsPerHost: Int? = nil, runtime: Runtime = .native) {
        (self.runtime, start, starts) = (runtime, runtime.now, runtime.makeStartQueue("spate.starts"))
        state = Locked(State(hosts: HostLines(limit: connectionsPerHost)))
        starts.setSpecific(key: Self.owner, value: ObjectIdentifier(starts))
        queue.underlyingQueue = starts
        queue.maxConcurrentOperationCount = max(1, limit)
    }

    /// Whether the queue makes this call. `OperationQueue.current` would tell as well, at the price of two system calls.
    var isCalling: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(starts) }

    /// How many may run at once.
    var limit: Int {
        get { queue.maxConcurrentOperationCount }
        set {
            queue.maxConcurrentOperationCount = max(1, newValue)
            fill()
        }
    }

    /// Whether more downloads are known, or are about to be, than may run at once.
    var isCrowded: Bool {
        let limit = limit
        return state.withLock { $0.line.count > 0 || $0.announced > limit }
    }

    var holdings: DownloadManager.Holdings {
        state.withLock { state in
            var holdings = DownloadManager.Holdings()
            (holdings.slots, holdings.handedOver) = (state.running, state.handedOver.count)
            holdings.waiting = state.line.count + state.hosts.count
            holdings.permits = state.hosts.connectionCount
            return holdings
        }
    }

    /// Says that so many are about to come; afterwards, with a negative count, that they have.
    func announce(_ count: Int) {
        state.withLock { $0.announced += count }
    }

    func add(_ waiting: WaitingDownload) {
        // An attempt that still holds the file is on its way out. The operation depends on it, and others pass.
        if waiting.manager.table.withLock({ $0.holder(of: waiting.download) }) != nil {
            _ = waiting.download.operation(for: waiting.attempt, in: waiting.manager)
            return
        }
        state.withLock { $0.line.append(waiting) }
        fill()
    }

    /// The download no longer waits for this attempt: it was paused or cancelled.
    func withdraw(_ attempt: AttemptID) {
        let (wasHandedOver, stale) = state.withLock { state -> (Bool, [WaitingDownload]) in
            if state.takeBack(attempt) { return (true, []) }
            state.stale += 1
            return (false, state.removeStale())
        }
        withExtendedLifetime(stale) {}
        if wasHandedOver { fill() }
    }

    /// An operation has a dependency that has not ended. If its turn has come, others pass: from now on it is like one that
    /// was asked for.
    func mustWait(_ attempt: AttemptID) {
        if state.withLock({ $0.takeBack(attempt) }) { fill() }
    }

    /// The queue starts this operation; false if its host has no room, and it must wait again.
    ///
    /// - Parameter urgently: whether it is tried although the host has asked to wait.
    func starts(_ attempt: AttemptID, at host: HTTPOrigin, urgently: Bool) -> Bool {
        state.withLock { state in
            if state.handedOver.removeValue(forKey: attempt) == nil {
                state.hosts.now = now
                guard state.hosts.hasRoom(host, urgently: urgently) else { return false }
                state.hosts.addAttempt(1, at: host)
                // Somebody asked for its operation before its turn came.
                state.stale += 1
            }
            state.running += 1
            return true
        }
    }

    /// An operation that was started is about to announce its end.
    func finished(at host: HTTPOrigin) {
        state.withLock { state in
            state.running -= 1
            state.hosts.now = now
            state.hosts.addAttempt(-1, at: host)
        }
        fill()
    }

    private func fill() {
        while true {
            let (next, passed, stale) = takeNext()
            withExtendedLifetime(stale) {}
            for waiting in passed { waiting.download.handle(.waitsForHost(waiting.attempt)) }
            guard let next else { return }
            // It may be stale, or in the queue already because somebody asked for its operation.
            if next.download.operation(for: next.attempt, in: next.manager)?.isNew == true { continue }
            state.withLock { _ = $0.takeBack(next.id) }
        }
    }

    /// Takes the next download out of the lines. It also returns the downloads that it passed over, because their hosts
    /// have no room, and downloads that no longer wait.
    private func takeNext() -> (next: WaitingDownload?, passed: [WaitingDownload], stale: [WaitingDownload]) {
        let limit = limit
        return state.withLock { state in
            var passed: [WaitingDownload] = []
            state.hosts.now = now
            while state.running + state.handedOver.count < limit, let next = state.popFirst() {
                let host = next.host
                guard state.hosts.hasRoom(host, urgently: next.isUrgent) else {
                    state.hosts.append(next, at: host)
                    passed.append(next)
                    continue
                }
                state.hosts.addAttempt(1, at: host)
                state.handedOver[next.id] = host
                return (next, passed, [])
            }
            return (nil, passed, state.removeStale())
        }
    }

    // MARK: Refusals

    /// A host has refused a request with 429 or 503. It does nothing else, so that it may be called under a lock.
    ///
    /// - Parameters:
    ///   - hosts: the hosts that this is held against.
    ///   - attempt: the download whose attempt was refused, and when it began; `nil` for a helper.
    func note(
        _ refusal: HostRestraint.Refusal,
        at hosts: Set<HTTPOrigin>,
        of attempt: (download: Download, began: ContinuousClock.Instant)? = nil
    ) {
        let attempt = attempt.map { ($0.download, began: $0.began - start) }
        for host in hosts {
            let isNew = state.withLock { state in
                state.hosts.now = now
                state.hosts.note(refusal, at: host, of: attempt)
                return state.timed.insert(host).inserted
            }
            // A wait may end before the next of those looks.
            if let wait = refusal.wait { later(wait) { _ = $0.refresh(host) } }
            if isNew { later(.zero) { $0.keepRefreshing(host) } }
        }
    }

    /// Whether a host has asked to wait.
    func isQuiet(_ host: HTTPOrigin) -> Bool {
        state.withLock { state in
            state.hosts.now = now
            return state.hosts.isQuiet(host)
        }
    }

    private func later(_ delay: Duration, _ work: @escaping @Sendable (OperationFeed) -> Void) {
        // A timer uses another clock, which may be slightly ahead.
        runtime.after(delay + .milliseconds(1)) { [weak self] in self.map(work) }
    }

    /// Looks at a host each time that its restraint changes, until nothing is left of it.
    private func keepRefreshing(_ host: HTTPOrigin) {
        if let delay = refresh(host) { later(delay) { $0.keepRefreshing(host) } }
    }

    /// Returns the time to the next change.
    private func refresh(_ host: HTTPOrigin) -> Duration? {
        let delay = state.withLock { state -> Duration? in
            state.hosts.now = now
            if let next = state.hosts.refresh(host) { return next - state.hosts.now }
            state.timed.remove(host)
            return nil
        }
        fill()
        return delay
    }

    private var now: Duration { runtime.now - start }

    // MARK: Helpers

    /// How many more connections beside its first one a download may open to a host.
    ///
    /// - Parameter open: how many connections to it the process has.
    func helperRoom(at host: HTTPOrigin, open: Int) -> Int {
        state.withLock { state in
            state.hosts.now = now
            return state.hosts.helperRoom(at: host, open: open)
        }
    }

    func addHelpers(_ count: Int, at host: HTTPOrigin) {
        state.withLock { $0.hosts.addHelpers(count, at: host) }
    }

    /// A redirect has led an attempt to another host; false if that has no room. It ends as a helper's connection does.
    func takePermit(at host: HTTPOrigin, urgently: Bool) -> Bool {
        state.withLock { state in
            state.hosts.now = now
            guard state.hosts.hasRoom(host, urgently: urgently) else { return false }
            state.hosts.addHelpers(1, at: host)
            return true
        }
    }

    /// A helper's connection has ended. Call it with no lock held.
    func helperEnded(at host: HTTPOrigin) {
        addHelpers(-1, at: host)
        fill()
    }
}

extension OperationFeed.State {
    /// Those that wait for a host with room come before others of their rank: they were first.
    fileprivate mutating func popFirst() -> WaitingDownload? {
        guard let (host, rank) = hosts.first, line.firstRank.map({ rank.lane <= $0.lane }) ?? true else {
            return line.popFirst()
        }
        return hosts.popFirst(at: host)
    }

    /// With fewer stale entries than this the lines are not searched for them, unless there are no others.
    private static let leastStale = 64

    /// Removes those that no longer wait, if they are many, or if nothing else may be left to do: they keep the manager, as
    /// long as their host has asked to wait.
    fileprivate mutating func removeStale() -> [WaitingDownload] {
        let count = line.count + hosts.count
        let isMany = stale >= Self.leastStale && stale * 2 > count
        guard isMany || stale > 0 && stale >= count else { return [] }
        stale = 0
        return line.removeStale() + hosts.removeStale()
    }

    /// Whether the attempt had been handed over.
    fileprivate mutating func takeBack(_ attempt: AttemptID) -> Bool {
        guard let host = handedOver.removeValue(forKey: attempt) else { return false }
        hosts.addAttempt(-1, at: host)
        return true
    }
}
