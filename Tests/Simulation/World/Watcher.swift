import Foundation
import Spate

/// Follows all downloads of a manager, and reports what no manager may tell: an end that comes twice, or what does not follow
/// from what was told before.
final class Watcher: DownloadManagerDelegate, @unchecked Sendable {
    private struct Seen {
        /// Held, so that no other gets its identity.
        let download: Download
        var order: StateOrder
        var endCount = 0
        /// How often it has run.
        var attemptCount = 0
        /// The number of the first request after it was seen first.
        let firstRequest: Int
        /// The number of the first request after it was seen first, or was paused last.
        var firstSincePause: Int
        /// How often it was told as waiting, and as nothing else.
        var waitCount = 0

        /// Whether it has waited for its first attempt, first for a slot and then perhaps for its host. If a user resumes
        /// it, another attempt begins.
        var isUntouched: Bool { waitCount <= 2 }

        mutating func waits(forHost isForHost: Bool) {
            let isAgain = waitCount > 0 && !isForHost
            waitCount = isAgain || waitCount == .max ? .max : waitCount + 1
        }
    }

    private unowned let world: World
    private let process: SimulatedProcess
    private var seen: [ObjectIdentifier: Seen] = [:]
    private var hasNews = false
    /// How many slots were taken at the last look, and how many there were.
    var (slots, limit) = (0, 0)
    /// Whether the user has changed the number of slots.
    var hasOtherLimit = false
    /// What was held after the last job: slots, also of what was handed over, and connections.
    private(set) var (taken, leases) = (0, 0)
    private(set) var pacedHosts: [String: DownloadManager.PacedHost] = [:]
    /// The number that may run at once, as it was reported.
    var reportedLimit = 0
    var turns = Turns()
    /// Attempts that have begun, and have sent nothing as far as the world has looked.
    var starts: [URL: World.AttemptStart] = [:]
    /// Downloads that have never run, and waited for their host at the last look.
    private(set) var hostWaiters: [Download] = []
    /// When a URL was told as running last.
    private var lastStarts: [URL: Duration] = [:]
    /// When a URL was told as running no more.
    private var lastEnds: [URL: Duration] = [:]
    /// How many requests there were after the last job.
    private var requestCount = 0

    init(of world: World, in process: SimulatedProcess) {
        (self.world, self.process) = (world, process)
    }

    func download(_ download: Download, didChangeTo state: DownloadState) {
        // A process that ended within a call tells nobody what would have followed.
        guard process.isAlive else { return }
        hasNews = true
        note(download) { seen in
            if seen.order.endsAttempt(state) { world.endImpatience(for: download.url, in: process) }
            if case .running = seen.order.last { lastEnds[download.url] = world.timeline.now }
            if let fault = seen.order.note(state) { world.fail("\(world.shown(download)): \(fault)") }
            noteTurn(of: download, state, isFirst: seen.isUntouched)
            switch state {
            case .waiting(.slot): seen.waits(forHost: false)
            case .waiting(.host): seen.waits(forHost: true)
            default: seen.waitCount = .max
            }
            switch state {
            case .running: seen.attemptCount += 1
            case .paused: seen.firstSincePause = world.network.requests.count
            default: break
            }
        }
        if case .failed = state {} else { world.noteNotFailed(download.url) }
        world.timeline.note("\(world.shown(download)) is \(state.name)")
        if case .running = state { checkRunning() }
    }

    private func noteTurn(of download: Download, _ state: DownloadState, isFirst: Bool) {
        switch state {
        case .waiting(.slot), .waiting(.host):
            // If it has waited before, a user has resumed it, and its place is another.
            if state == .waiting(.slot) { turns.leaves(download) }
            let manager = world.sessions.first { $0.watcher === self }?.manager
            let isHeld = manager?.hasOpenFile(download) ?? false
            if isHeld || lastEnds[download.url] == world.timeline.now { turns.follows(download) }
        case .running:
            noteStart(of: download, isFirst: isFirst)
            turns.leaves(download)
        default: turns.leaves(download)
        }
    }

    private func noteStart(of download: Download, isFirst: Bool) {
        turns.starts(download, isFirst: isFirst)
        lastStarts[download.url] = world.timeline.now
        let full = world.hostsWithoutRoom(for: download.url, in: process)
        if !full.isEmpty { starts[download.url] = World.AttemptStart(firstRequest: requestCount, full: full) }
    }

    func note(_ change: ConcurrencyChange) {
        if process.isAlive { world.note(change, of: self) }
    }

    /// When its last attempt has begun.
    func lastStart(of url: URL) -> Duration? { lastStarts[url] }

    /// Whether it has begun before.
    func hasRun(_ download: Download) -> Bool { (seen[ObjectIdentifier(download)]?.attemptCount ?? 0) > 0 }

    /// Remembers what there is after a job.
    func look(at manager: DownloadManager) {
        let holdings = manager.holdings
        (taken, leases) = (holdings.slots + holdings.handedOver, holdings.leases)
        pacedHosts = manager.pacedHosts
        requestCount = world.network.requests.count
    }

    func look(atWaiting downloads: [Download]) {
        hostWaiters = downloads.filter { $0.waitsForHost && seen[ObjectIdentifier($0)]?.isUntouched ?? true }
    }

    /// Only what has a slot is told as running.
    private func checkRunning() {
        let running = seen.values.count { if case .running = $0.order.last { true } else { false } }
        if running > limit, !hasOtherLimit { world.fail("\(running) are told as running on \(limit) slots") }
    }

    func download(_ download: Download, didReceive progress: DownloadProgress) {
        guard process.isAlive else { return }
        note(download) { seen in
            if let fault = seen.order.note(.progress(progress)) { world.fail("\(world.shown(download)): \(fault)") }
        }
    }

    func download(_ download: Download, didFinishAt file: URL) {
        guard process.isAlive else { return }
        noteEnd(of: download)
        note(download) { world.checkMirrors(of: download, at: file, since: $0.firstRequest, in: process) }
        world.noteFinished(download, at: file)
    }

    func download(_ download: Download, didFailWith error: DownloadError) {
        guard process.isAlive else { return }
        noteEnd(of: download)
        note(download) { world.checkBan(download, error, since: $0.firstSincePause, in: process) }
        world.timeline.note("\(world.shown(download)): \(error.code.rawValue) \(error.message)")
        world.noteFailed(download, error, by: world.sessions.first { $0.watcher === self }?.manager)
    }

    /// Whether something was told since the last call.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    private func noteEnd(of download: Download) {
        note(download) { seen in
            seen.endCount += 1
            if seen.endCount > 1 { world.fail("two ends of \(world.shown(download))") }
            if !seen.order.hasEnded { world.fail("an end before its state: \(world.shown(download))") }
            world.checkBudget(of: download, attempts: seen.attemptCount, since: seen.firstRequest, in: process)
        }
    }

    private func note(_ download: Download, _ change: (inout Seen) -> Void) {
        let next = world.network.requests.count
        let new = Seen(download: download, order: StateOrder(world), firstRequest: next, firstSincePause: next)
        change(&seen[ObjectIdentifier(download), default: new])
    }

    /// Lets go of the downloads.
    func close() {
        (seen, hostWaiters, turns) = ([:], [], Turns())
    }
}

extension DownloadState {
    var name: String {
        switch self {
        case .waiting(.slot): "waiting"
        case .waiting(.host): "waiting for its host"
        case .waiting(.retry): "retrying"
        case .waiting(.disk): "syncing"
        case .running: "running"
        case .paused: "paused"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
