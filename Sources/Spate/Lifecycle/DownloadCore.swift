import Foundation
import HTTPResumption
import HTTPSyntax
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// The state of a download, under its lock.
struct DownloadCore {
    /// Indirect: few downloads have it.
    indirect enum Joined {
        case sender(RequestSender, of: URL)
    }

    /// Indirect: few downloads have it.
    indirect enum Redirect {
        case nowhere
        case host(HTTPOrigin)
    }

    var machine: DownloadMachine
    /// The host without room to which the last attempt was redirected. The next attempt waits for it.
    var redirectedTo = Redirect.nowhere
    var meter = ProgressMeter()
    /// The operation of the attempt that is queued or running, if it has been made.
    var operation: DownloadOperation?
    var retryTimer: RetryTimer?
    /// The steps tried at each source.
    private var histories: [Int: ResumeHistory] = [:]
    /// Its share of the rate, once needed.
    var rate: RateShare?
    /// The response of the finished file.
    var response: KeptResponse?
    var remarks: [DownloadRemark] = []
    var update: DownloadUpdate?
    var serverMetalink = ServerMetalink.unknown
    /// How many callers enqueued it and still want it.
    var callers: Int32 = 1
    /// The sender of the first request that joined a restored download.
    var joined: Joined?
    /// Set once its partial file has named its manager.
    var ownership: Ownership?
    /// The download was deleted: an attempt that still runs removes its file.
    var isDeleted = false
    /// The observers of this download only.
    var observers: [any DownloadObserver] = []
    private let managerObservers: Observers
    /// Its part of its manager's progress.
    private var share = ManagerTally.Share()

    init(machine: DownloadMachine, managerObservers: Observers) {
        (self.machine, self.managerObservers) = (machine, managerObservers)
    }

    /// The steps tried at the present source. Whether other sources had helpers counts, too: sources may share a host,
    /// and a host that bans a client for helpers bans it for all (S36).
    var history: ResumeHistory {
        get {
            if histories.isEmpty { return ResumeHistory() }
            var history = histories[machine.sources.current] ?? ResumeHistory()
            if histories.values.contains(where: { $0.contains(.helped) }) { history.record(.helped) }
            return history
        }
        set { histories[machine.sources.current] = newValue }
    }

    /// Its share of the manager's rate, made when first needed.
    mutating func share(of manager: DownloadManager, ownLimit: Int64?) -> RateShare {
        let share = rate ?? RateShare(of: manager.rateLimit, ownLimit: ownLimit)
        rate = share
        return share
    }

    var surroundings: Surroundings { managerObservers.surroundings }
    var runtime: Runtime { surroundings.runtime }

    /// Feeds an event to the rules.
    mutating func handle(_ event: DownloadMachine.Event) -> [DownloadMachine.Action] {
        let runtime = runtime
        return machine.handle(event, now: runtime.now, date: runtime.date, jitter: runtime.fraction)
    }

    /// Updates what depends on the state, and lets the observers note it. After the end they are removed.
    mutating func noteState(of download: Download) {
        retryTimer = nil
        if !machine.hasAttempt { operation = nil }
        if !machine.isRunning { meter.connectionCount = 0 }
        // Report an attempt's bytes before its end: the next attempt may begin with less.
        let hasNews = meter.dropPlannedReport()
        let (now, end) = (runtime.now, machine.end)
        if hasNews || end != nil { noteProgress(of: download, now: now) }
        guard let end else { return note(.state(machine.state), of: download, now: now) }
        managerObservers.note(end, of: download, takeChange(of: download), now: now)
        for observer in observers { observer.note(end, of: download) }
        observers = []
    }

    mutating func noteProgress(of download: Download, now: ContinuousClock.Instant) {
        note(.progress(meter.progress(now: now)), of: download, now: now)
    }

    private mutating func note(_ event: DownloadEvent, of download: Download, now: ContinuousClock.Instant) {
        managerObservers.note(event, of: download, takeChange(of: download), now: now)
        for observer in observers { observer.note(event, of: download) }
    }

    /// Updates its part of its manager's count.
    mutating func count(of download: Download, now: ContinuousClock.Instant) {
        managerObservers.count(takeChange(of: download), of: download, now: now)
    }

    private mutating func takeChange(of download: Download) -> ManagerTally.Change {
        let old = share
        share = ManagerTally.Share(
            phase: machine.end.map { .init($0) } ?? .init(machine.state),
            received: meter.receivedBytes,
            total: meter.totalBytes ?? download.enqueuedRequest.expectedBytes
        )
        return ManagerTally.Change(old: old, new: share, arrived: meter.takeArrived())
    }

    /// Whether an observer wants progress.
    var wantsProgress: Bool { managerObservers.wantsProgress || observers.contains { $0.wantsProgress } }

    /// The observers that act on their notes when no lock is held.
    var actors: Actors { Actors(manager: managerObservers, own: observers) }

    /// Objects that a change may remove. They act, or are released, after the lock is released: some are the user's.
    struct Former {
        fileprivate let operation: DownloadOperation?
        fileprivate let retryTimer: RetryTimer?
        fileprivate let actors: Actors

        fileprivate init(_ core: borrowing DownloadCore) {
            (operation, retryTimer, actors) = (core.operation, core.retryTimer, core.actors)
        }
    }

    struct Actors {
        fileprivate let manager: Observers
        fileprivate let own: [any DownloadObserver]

        func act() {
            manager.act()
            for observer in own { observer.act() }
        }
    }
}

extension Download {
    /// Feeds an event to the rules, and performs the actions.
    func handle(_ event: DownloadMachine.Event) {
        perform { $0.handle(event) }
    }

    /// Changes the core under its lock. Performs the actions after the lock is released.
    func perform(_ change: (inout DownloadCore) -> [DownloadMachine.Action]) {
        // Weak: a manager that is going away can run nothing.
        let manager = manager
        let (actions, former, isUrgent) = core.withLock { core in
            let former = DownloadCore.Former(core)
            let actions = change(&core)
            // The next attempt has its own operation.
            for case .abandon in actions { core.operation = nil }
            if !actions.isEmpty {
                // Before anybody sees the end: an observer may exit at once.
                if let end = core.machine.end, let journal = manager?.journal {
                    journal.end(serial, EndedWork(self, as: end, ownFolder: journal.directory.path))
                }
                core.noteState(of: self)
            }
            return (actions, former, core.machine.isUrgent)
        }
        if actions.isEmpty { return }
        former.retryTimer?.cancel()
        for action in actions {
            switch action {
            case .abandon:
                former.operation?.cancel()
                manager?.feed.withdraw(former.operation?.takeLease())
            case .enqueue(let attempt):
                guard let manager else { break }
                let waiting = WaitingDownload(download: self, attempt: attempt, manager: manager, isUrgent: isUrgent)
                manager.feed.add(waiting)
            case .wait(let attempt, let delay):
                startTimer(RetryTimer(for: self, manager: manager), for: attempt, delay: delay)
            case .notify(let isEnd):
                // The table forgets an ended download before anybody waiting for its end can ask.
                if isEnd {
                    manager?.table.withLock { $0.remove(self) }
                    releaseFileIfEnded()
                }
                former.actors.act()
            }
        }
    }

    private func startTimer(_ timer: RetryTimer, for attempt: Int, delay: Duration) {
        let runtime = core.withLock { core -> Runtime? in
            guard core.machine.isWaiting(forRetryAfter: attempt) else { return nil }
            core.retryTimer = timer
            return core.runtime
        }
        if let runtime { timer.start(attempt, after: delay, on: runtime) }
    }
}
