import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// The state of a download, under its lock.
struct DownloadCore {
    var machine: DownloadMachine
    var priority: Operation.QueuePriority
    /// The host without room to which the last attempt was redirected. The next attempt waits for it.
    @Rare var redirectedTo: HTTPOrigin?
    var meter = ProgressMeter()
    /// The operation of the attempt that is queued or running, if it has been made.
    var operation: DownloadOperation?
    var retryTimer: RetryTimer?
    /// The steps tried at each source.
    private var histories: [Int: ResumeHistory] = [:]
    /// Its share of the rate, once needed.
    var rate: RateShare?
    /// The latest response with bytes of the file.
    var response: KeptResponse?
    var remarks: [DownloadRemark] = []
    var update: DownloadUpdate?
    var serverMetalink = ServerMetalink.unknown
    /// How many callers enqueued it and still want it.
    var callers: Int32 = 1
    /// The sender of the first request that joined a restored download, and its URL.
    @Rare var joined: (sender: RequestSender, url: URL)?
    /// Set once its partial file has named its manager.
    var ownership: Ownership?
    /// The download was deleted: an attempt that still runs removes its file.
    var isDeleted = false
    /// The last attempt has left no partial file.
    var hasLostBytes = false
    /// The observers of this download only.
    var observers: [any DownloadObserver] = []
    private let managerObservers: Observers
    /// Its part of its manager's progress.
    private(set) var share = DownloadSums.Share()

    init(machine: DownloadMachine, priority: Operation.QueuePriority, managerObservers: Observers) {
        (self.machine, self.priority, self.managerObservers) = (machine, priority, managerObservers)
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
    mutating func noteState(of download: Download) -> Actors {
        if !machine.hasAttempt { operation = nil }
        if !machine.isRunning { meter.connectionCount = 0 }
        // Report an attempt's bytes before its end: the next attempt may begin with less.
        let hasNews = meter.dropPlannedReport()
        let (change, now) = (takeChange(of: download), runtime.now)
        let actors = note(change, of: download, now: now, isState: true) { observer, isKnown in
            let hasProgress = (hasNews || machine.hasEnded) && isKnown && observer.wantsProgress
            if hasProgress { observer.note(.progress(meter.progress(now: now)), of: download) }
            if let end = machine.end {
                observer.note(end, of: download)
                return true
            }
            let state = machine.state
            guard observer.wants(state) else { return hasProgress }
            observer.note(.state(state), of: download)
            return true
        }
        if machine.hasEnded { observers = [] }
        return actors
    }

    mutating func noteProgress(of download: Download, now: ContinuousClock.Instant) -> Actors {
        let change = takeChange(of: download)
        return note(change, of: download, now: now, isState: false) { observer, _ in
            guard observer.wantsProgress else { return false }
            observer.note(.progress(meter.progress(now: now)), of: download)
            return true
        }
    }

    private func note(
        _ change: ManagerTally.Change,
        of download: Download,
        now: ContinuousClock.Instant,
        isState: Bool,
        _ tell: (any DownloadObserver, _ isKnown: Bool) -> Bool
    ) -> Actors {
        let hasNotes = managerObservers.note(change, of: download, now: now, isState: isState, tell)
        for observer in observers { _ = tell(observer, true) }
        return Actors(manager: hasNotes ? managerObservers : nil, own: observers)
    }

    /// Updates its part of its manager's count, and notifies nobody.
    mutating func count(of download: Download, now: ContinuousClock.Instant) {
        _ = managerObservers.note(takeChange(of: download), of: download, now: now, isState: false) { _, _ in false }
    }

    private mutating func takeChange(of download: Download) -> ManagerTally.Change {
        let old = share
        share = DownloadSums.Share(
            phase: machine.counted,
            received: meter.receivedBytes,
            total: meter.totalBytes ?? download.enqueuedRequest.expectedBytes
        )
        return ManagerTally.Change(old: old, new: share, arrived: meter.takeArrived())
    }

    /// Whether there is a partial file, as far as attempts have said.
    var keepsPartialFile: Bool { !isDeleted && !hasLostBytes && meter.receivedBytes > 0 }

    /// Whether an observer wants progress.
    var wantsProgress: Bool { managerObservers.wantsProgress || observers.contains { $0.wantsProgress } }

    /// The observers that act on their notes when no lock is held.
    struct Actors {
        /// `nil` if they have no notes.
        fileprivate let manager: Observers?
        fileprivate let own: [any DownloadObserver]

        func act() {
            manager?.act()
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
        // What the change may remove. It acts, or is released, after the lock is released: some is the user's.
        var operation: DownloadOperation?
        var retryTimer: RetryTimer?
        var actors: DownloadCore.Actors?
        var ownership: Ownership?
        var failure: DownloadError?
        defer { withExtendedLifetime(failure) {} }
        let (actions, isUrgent) = core.withLock { core in
            failure = core.machine.previousError
            operation = core.operation
            let actions = change(&core)
            if actions.isEmpty { return (actions, false) }
            // The next attempt has its own operation.
            for case .abandon in actions { core.operation = nil }
            retryTimer = core.retryTimer.take()
            if let end = core.machine.end {
                ownership = core.ownership
                // Before anybody sees the end: an observer may exit at once.
                if let journal = manager?.journal {
                    journal.end(serial, EndedWork(self, as: end, ownFolder: journal.directory.path))
                }
            }
            // Two events in one change have one state to tell.
            if actions.contains(where: \.isNotice) { actors = core.noteState(of: self) }
            return (actions, core.machine.isUrgent)
        }
        if actions.isEmpty { return }
        retryTimer?.cancel()
        for action in actions {
            switch action {
            case .leave: operation?.finish()
            case .abandon:
                operation?.cancel()
                manager?.feed.withdraw(operation?.takeLease())
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
                    releaseFile(of: ownership)
                }
                actors?.act()
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
