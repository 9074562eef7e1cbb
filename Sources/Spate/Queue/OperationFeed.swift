import Dispatch
import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpateTiming
import Synchronization

/// Feeds the operation queue that runs the attempts.
///
/// The queue's `maxConcurrentOperationCount` is the number of slots, and one more for each operation that has returned
/// its slot and waits for the disk. Waiting downloads stand in a line before it, at a few words each; an operation takes
/// more than a kilobyte. The feed hands over as many as may run, in order. It adds the next one before an operation
/// announces its end, so that no slot is idle in between.
///
/// An operation may enter the queue without the feed, because a caller asked for it or because the last attempt still
/// holds the file. It counts from its start. Until then it waits for its dependencies and holds no slot.
///
/// A download whose host has no free connection is passed over, and waits in that host's line.
///
/// The operations start on the queue of the transport's loop for small transfers, if there is one. So the next small file
/// begins on the thread on which the last one ended.
final class OperationFeed: Sendable {
    struct State {
        var line = WaitingLine<WaitingDownload>()
        var hosts: HostLedger<WaitingDownload>
        /// Handed over but not started, each with its connection.
        var handedOver = 0
        /// Started and in a slot.
        var running = 0
        /// The files that wait for the disk.
        var disk = DiskQueue()
        /// Started, and without a slot since it waits for the disk.
        var withoutSlot = 0
        /// The number of downloads in running calls that enqueue several.
        var announced = 0
        /// At most this many entries in the lines no longer wait.
        var stale = 0
    }

    let queue = OperationQueue()
    let pacer: Pacer
    // The operation queue does not retain it.
    private let starts: DispatchQueue
    private let loop: EventLoop?
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()
    let state: Locked<State>
    /// The number of slots. Changed under the lock, and read under any.
    private let slots: Atomic<Int>
    private let lastChangeLowered = Atomic(false)
    let runtime: Runtime
    /// The time zero of the ledger of hosts.
    let start: ContinuousClock.Instant

    init(
        _ configuration: DownloadManager.Configuration,
        _ rate: RateLimit,
        in surroundings: Surroundings
    ) {
        pacer = Pacer(configuration, rate, in: surroundings)
        (runtime, loop) = (surroundings.runtime, surroundings.transport.loop)
        (start, starts) = (runtime.now, loop?.queue ?? runtime.makeStartQueue("spate.starts"))
        let limit = pacer.limit
        slots = Atomic(limit)
        state = Locked(State(hosts: HostLedger(limit: configuration.maxConnectionsPerHost)), .feed)
        // Only its own queue: while a value is replaced, the old one must not be read.
        if loop == nil { starts.setSpecific(key: Self.owner, value: ObjectIdentifier(starts)) }
        queue.underlyingQueue = starts
        queue.maxConcurrentOperationCount = limit
    }

    /// Whether the queue makes this call. `OperationQueue.current` costs two system calls.
    var isCalling: Bool {
        loop?.isCurrent ?? (DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(starts))
    }

    /// How many may run at once.
    var limit: Int {
        get { slots.load(ordering: .relaxed) }
        set {
            state.withLock { state in
                let former = slots.exchange(max(1, newValue), ordering: .relaxed)
                if former != newValue { noteChange(isLower: newValue < former) }
                limitQueue(state)
            }
            loop?.addedItems()
            fill()
        }
    }

    /// Whether the last change of the limit was to a lower one, so that connections are idle.
    var wasLowered: Bool { lastChangeLowered.load(ordering: .relaxed) }

    func noteChange(isLower: Bool) { lastChangeLowered.store(isLower, ordering: .relaxed) }

    // Under the lock, so that the last change stays.
    private func limitQueue(_ state: borrowing State) {
        queue.maxConcurrentOperationCount = limit.saturatingPlus(state.withoutSlot)
    }

    /// Adds an operation to the queue. Call `operationsMayStart()` afterwards, with no lock held: the operation may start
    /// at once.
    func add(_ operation: DownloadOperation) {
        queue.addOperation(operation)
    }

    /// An operation was added, became ready, has ended or was cancelled, and the queue may have scheduled others. The
    /// queue does not wake the loop.
    func operationsMayStart() { loop?.addedItems() }

    /// Whether there are more downloads, now or soon, than may run at once.
    var isCrowded: Bool {
        state.withLock { $0.line.count > 0 || $0.announced > limit }
    }

    var holdings: DownloadManager.Holdings {
        state.withLock { state in
            var holdings = DownloadManager.Holdings()
            (holdings.slots, holdings.handedOver) = (state.running, state.handedOver)
            holdings.syncs = state.withoutSlot
            holdings.waiting = state.line.count + state.hosts.count
            holdings.leases = state.hosts.connectionCount
            holdings.divided = pacer.fileCount
            return holdings
        }
    }

    /// Announces this many downloads; afterwards, called with the negative count.
    func announce(_ count: Int) {
        state.withLock { $0.announced += count }
    }

    func add(_ waiting: WaitingDownload) {
        // An attempt that still holds the file is about to end. The operation depends on it, and others pass.
        if waiting.manager.table.withLock({ $0.holder(of: waiting.download) }) != nil {
            _ = waiting.download.operation(for: waiting.attempt, in: waiting.manager)
            return
        }
        fill { $0.line.append(waiting) }
        pacer.begin(in: self)
    }

    /// A download no longer waits for its attempt: it was paused or cancelled.
    ///
    /// - Parameter lease: the connection of its operation, if that was handed over and has not started.
    func withdraw(_ lease: HostLease?) {
        if let lease { return takeBack(lease) }
        let stale = state.withLock { state in
            state.stale += 1
            return state.removeStale(now)
        }
        withExtendedLifetime(stale) {}
    }

    /// An operation that was handed over has an unfinished dependency, or will not start. Others pass, as if a caller
    /// had asked for it.
    func takeBack(_ lease: HostLease) {
        fill { $0.takeBack(lease, now) }
    }

    /// The queue starts an operation. Returns its connection; `nil` if its host has no room, and it must wait again.
    ///
    /// - Parameters:
    ///   - lease: the connection with which it was handed over; `nil` if it was not.
    ///   - urgently: whether to ignore that the host has asked to wait.
    func starts(_ lease: HostLease?, at host: HTTPOrigin, urgently: @autoclosure () -> Bool) -> HostLease? {
        state.withLock { state in
            if let lease {
                state.handedOver -= 1
                state.running += 1
                return lease
            }
            guard let lease = state.hosts.lease(host, urgently: urgently(), now: now) else { return nil }
            // A caller asked for its operation before its turn.
            state.stale += 1
            state.running += 1
            return lease
        }
    }

    /// The bytes of a started operation have all come, and wait for their sync. Whether it may wait without a slot: then
    /// call `returned(_:isWaiting:)`.
    func mayWaitForDisk(_ load: DiskQueue.Load) -> Bool { state.withLock { $0.disk.enter(load) } }

    /// An operation that waited for the disk without a slot is about to announce its end.
    func leavesDisk(_ load: DiskQueue.Load) {
        state.withLock { state in
            state.disk.leave(load)
            state.withoutSlot -= 1
            limitQueue(state)
        }
    }

    /// A started operation returns its slot and its connection.
    ///
    /// - Parameter isWaiting: whether it waits for the disk and goes on executing, not about to announce its end.
    func returned(_ lease: HostLease, isWaiting: Bool = false) {
        fill { state in
            state.running -= 1
            state.hosts.giveBack(lease, now: now)
            if isWaiting {
                // Not earlier: the queue may start another operation at once.
                state.withoutSlot += 1
                limitQueue(state)
            }
        }
    }

    /// Hands over as many as may run.
    ///
    /// - Parameter change: made first, under the lock.
    func fill(after change: (inout State) -> Void = { _ in }) {
        var (isFirst, goesOn) = (true, true)
        while goesOn {
            // In variables of their own: a struct of all costs more than the rest.
            var next: WaitingDownload?
            var lease: HostLease?
            var (passed, stale): ([WaitingDownload], [WaitingDownload]) = ([], [])
            goesOn = state.withLock { state in
                if isFirst { change(&state) }
                lease = takeNext(&state, &next, &passed, &stale)
                return lease != nil && state.hasFreeSlot(of: limit)
            }
            isFirst = false
            withExtendedLifetime(stale) {}
            for waiting in passed { waiting.download.handle(.waitsForHost(waiting.attempt)) }
            guard let next, let lease else { return }
            // It may have changed its mind, or be in the queue already because a caller asked for its operation.
            let made = next.download.operation(for: next.attempt, in: next.manager, with: lease)
            if made?.isNew == true { continue }
            state.withLock { $0.takeBack(lease, now) }
            goesOn = true
        }
    }

    /// Takes the next download out of the lines, and leases its connection; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - passed: gets the downloads that were passed over, because their hosts have no room.
    ///   - stale: gets the entries that no longer wait. They must not be released under the lock.
    private func takeNext(
        _ state: inout State,
        _ taken: inout WaitingDownload?,
        _ passed: inout [WaitingDownload],
        _ stale: inout [WaitingDownload]
    ) -> HostLease? {
        while state.hasFreeSlot(of: limit), let next = state.popFirst(now) {
            guard let host = next.host else {
                stale.append(next)
                continue
            }
            guard let lease = state.hosts.lease(host, urgently: next.isUrgent, now: now) else {
                state.hosts.append(next, at: host, now: now)
                passed.append(next)
                continue
            }
            state.handedOver += 1
            taken = next
            return lease
        }
        if state.stale > 0 { stale += state.removeStale(now) }
        return nil
    }

    var now: Duration { runtime.now - start }
}

extension OperationFeed.State {
    fileprivate func hasFreeSlot(of limit: Int) -> Bool { running + handedOver < limit }

    /// Downloads that wait for a host with room come before others of their rank: they were first.
    fileprivate mutating func popFirst(_ now: @autoclosure () -> Duration) -> WaitingDownload? {
        guard let (host, rank) = hosts.first(now: now()), line.firstRank.map({ rank.lane <= $0.lane }) ?? true else {
            return line.popFirst()
        }
        return hosts.popFirst(at: host, now: now())
    }

    /// With fewer stale entries than this the lines are not searched, unless no other entries may be left.
    private static let leastStale = 64

    /// Removes the stale entries if they are many, or if nothing else may be left: they keep the manager alive while
    /// their host has asked to wait.
    fileprivate mutating func removeStale(_ now: @autoclosure () -> Duration) -> [WaitingDownload] {
        let count = line.count + hosts.count
        let isMany = stale >= Self.leastStale && stale * 2 > count
        guard isMany || stale > 0 && stale >= count else { return [] }
        stale = 0
        return line.removeStale() + hosts.removeStale(now: now())
    }

    fileprivate mutating func takeBack(_ lease: HostLease, _ now: @autoclosure () -> Duration) {
        handedOver -= 1
        hosts.giveBack(lease, now: now())
    }
}
