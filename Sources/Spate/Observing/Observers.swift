import SpateLocking
import SpateTiming

/// The observers of all downloads of a manager, and its tally. Notifying all of them costs one lock.
final class Observers: Sendable {
    private struct Member {
        let observer: any DownloadObserver
        /// While existing downloads are being presented: the downloads that the observer knows already.
        var known: Set<ObjectIdentifier>? = []
    }

    private struct State {
        var members: [Member] = []
        var tally = ManagerTally()
        /// Whether there are notes to act on.
        var hasNotes = false

        /// Notifies the observers if nothing is queued, running or waiting for a retry, and no call enqueues more.
        mutating func noteIdle() {
            guard tally.isIdle else { return }
            for member in members { member.observer.noteIdle() }
            hasNotes = true
        }
    }

    let surroundings: Surroundings
    private let state = Locked(State(), .observers)

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    /// Adds an observer, which first gets the present state of these downloads. The closure runs after adding it, so it
    /// misses no download, and gets no state twice.
    func add(_ observer: any DownloadObserver, presenting downloads: () -> [Download]) {
        state.withLock { $0.members.append(Member(observer: observer)) }
        for download in downloads() {
            download.present { state, share, _ in
                if state.isTerminal { return }
                let isNew = change(observer) { $0.known?.insert(ObjectIdentifier(download)).inserted } == true
                guard isNew else { return }
                observer.count(share, insteadOf: DownloadSums.Share())
                observer.note(.state(state), of: download)
            }
        }
        _ = change(observer) { $0.known = nil }
        observer.act()
    }

    func remove(_ observer: any DownloadObserver) { replace(observer, by: nil) }

    /// Puts an observer in the place of another, so that each event reaches one of the two.
    func replace(_ old: (any DownloadObserver)?, by new: (any DownloadObserver)?) {
        let removed = state.withLock { state in
            let index = old.flatMap { old in state.members.firstIndex { $0.observer === old } }
            let removed = index.map { state.members.remove(at: $0) }
            if let new { state.members.append(Member(observer: new, known: nil)) }
            return removed
        }
        // What it has noted, nobody else tells it to act on.
        removed?.observer.act()
    }

    var isEmpty: Bool { state.withLock { $0.members.isEmpty } }

    var wantsProgress: Bool { state.withLock { $0.members.contains { $0.observer.wantsProgress } } }

    /// Counts a change of a download, and lets the observers note it. Called under the download's lock. Returns whether
    /// there are notes to act on.
    ///
    /// - Parameters:
    ///   - isState: whether its state has changed, not only its progress.
    ///   - tell: tells an observer, which may hear of the download for the first time. Returns whether it may have notes.
    func note(
        _ change: ManagerTally.Change,
        of download: Download,
        now: ContinuousClock.Instant,
        isState: Bool,
        _ tell: (any DownloadObserver, _ isKnown: Bool) -> Bool
    ) -> Bool {
        state.withLock { state in
            state.tally.note(change, of: download, now: now)
            for index in state.members.indices {
                let isKnown = state.members[index].known?.contains(ObjectIdentifier(download)) ?? true
                if !isKnown {
                    // Its state comes first.
                    if !isState { continue }
                    state.members[index].known?.insert(ObjectIdentifier(download))
                }
                let observer = state.members[index].observer
                observer.count(change.new, insteadOf: isKnown ? change.old : DownloadSums.Share())
                if tell(observer, isKnown) { state.hasNotes = true }
            }
            state.noteIdle()
            return state.hasNotes
        }
    }

    /// Acts on the notes, unless another thread does. Called with no lock held.
    func act() {
        let members = state.withLock { state in
            defer { state.hasNotes = false }
            return state.hasNotes ? state.members : []
        }
        for member in members { member.observer.act() }
    }

    /// The manager is gone: nothing follows.
    func close() {
        let removed = state.withLock { state in
            defer { state.members = [] }
            return state.members
        }
        for member in removed { member.observer.close() }
    }

    private func change<Result>(_ observer: any DownloadObserver, _ change: (inout Member) -> Result) -> Result? {
        state.withLock { state in
            state.members.firstIndex { $0.observer === observer }.map { change(&state.members[$0]) }
        }
    }

    // MARK: The tally

    /// Counts everything that a call enqueues as one.
    func batch<Result>(_ enqueue: () -> Result) -> Result {
        beginBatch()
        defer { endBatch() }
        return enqueue()
    }

    func beginBatch() { state.withLock { $0.tally.beginBatch() } }

    func endBatch() {
        state.withLock { state in
            state.tally.endBatch()
            state.noteIdle()
        }
        act()
    }

    /// The progress of all downloads. Takes the locks of the running ones.
    var progress: DownloadManagerProgress {
        let now = surroundings.runtime.now
        let running = state.withLock { $0.tally.running }
        let longest = running.compactMap { $0.countReceived(now: now) }.max()
        return state.withLock { $0.tally.progress(longest: longest, now: now) }
    }
}
