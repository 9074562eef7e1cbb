import Foundation
import HTTPResumption
import Locking
import Timing

// What an attempt reports to its download. Each call names the attempt, because an abandoned one may still report when
// another has taken its place.
extension Download {
    /// The queue has started the operation of this attempt; false if the download no longer waits for it.
    func begin(_ attempt: Int, operation: DownloadOperation, in manager: DownloadManager) -> Bool {
        guard let key else { return false }
        var begins = false
        perform { core in
            let actions = core.handle(.attemptStarted(attempt))
            begins = !actions.isEmpty
            // Under the lock, so that who abandons this attempt finds it holding the file.
            if begins { manager.table.withLock { $0.setHolder(operation, of: key) } }
            return actions
        }
        return begins
    }

    /// The queue has started the operation of this attempt, but its host has enough connections: it waits again, at its
    /// place in the line if it still has one.
    func turnAway(_ operation: DownloadOperation, _ attempt: Int) {
        perform { core in
            guard core.machine.awaits(attempt) else { return [] }
            core.operation = nil
            return operation.isAskedFor ? [] : core.handle(.turnedAway(attempt))
        }
    }

    /// A response was accepted: the file has `offset` bytes, and will have `total`.
    func attempt(_ attempt: Int, receivesFrom offset: Int64, total: Int64?) {
        core.withLock { core in
            guard core.machine.isRunning(attempt) else { return }
            core.meter.begin(at: offset, total: total, now: core.runtime.now)
            if core.machine.mirror == nil { core.machine.noteOriginTotal(total) }
        }
    }

    /// The file has grown to `offset` bytes.
    func attempt(_ attempt: Int, reached offset: Int64) {
        let (actors, later) = core.withLock { core -> (DownloadCore.Actors?, (Runtime, Duration)?) in
            guard core.machine.isRunning(attempt) else { return (nil, nil) }
            let now = core.runtime.now
            if core.meter.advance(to: offset, now: now) {
                core.noteProgress(of: self, now: now)
                return (core.actors, nil)
            }
            // Planned ten times a second at most; so is this search.
            guard let delay = core.meter.planReport(now: now), core.wantsProgress else { return (nil, nil) }
            return (nil, (core.runtime, delay))
        }
        actors?.act()
        guard let (runtime, delay) = later else { return }
        runtime.after(delay) { [weak self] in self?.reportPlannedProgress() }
    }

    /// So many connections are open for it.
    func attempt(_ attempt: Int, connections count: Int) {
        core.withLock { core in
            if core.machine.isRunning(attempt) { core.meter.connectionCount = count }
        }
    }

    /// The server names other places of the file, which has this total.
    func attempt(_ attempt: Int, found places: [HTTPURL], total: Int64?) {
        core.withLock { core in
            guard core.machine.isRunning(attempt) else { return }
            core.machine.add(
                mirrors: places.filter { $0 != key },
                isVerified: enqueuedRequest.checksum != nil,
                isNamed: false
            )
            core.machine.noteOriginTotal(total)
        }
    }

    /// The origin's file has this total, as far as is known.
    func attempt(_ attempt: Int, knowsTotal total: Int64?) {
        if total == nil { return }
        core.withLock { core in
            if core.machine.isRunning(attempt) { core.machine.noteOriginTotal(total) }
        }
    }

    private func reportPlannedProgress() {
        let actors = core.withLock { core -> DownloadCore.Actors? in
            let now = core.runtime.now
            guard !core.machine.state.isTerminal, core.meter.takePlannedReport(now: now) else { return nil }
            core.noteProgress(of: self, now: now)
            return core.actors
        }
        actors?.act()
    }

    /// So much is on disk, which counts before the first attempt begins.
    func found(_ size: Int64, of total: Int64?) {
        core.withLock { core in
            guard !core.machine.state.isTerminal, core.meter.find(size, of: total) else { return }
            core.count(of: self, now: core.runtime.now)
        }
    }

    /// Counts what has been received while it runs in its manager's progress, and returns how long the rest takes.
    func countReceived(now: ContinuousClock.Instant) -> Duration? {
        core.withLock { core in
            guard case .running = core.machine.state else { return nil }
            core.count(of: self, now: now)
            var progress = core.meter.progress(now: now)
            progress.totalBytes = progress.totalBytes ?? enqueuedRequest.expectedBytes
            return progress.timeRemaining
        }
    }

    /// Gives the file its final name, unless the attempt was abandoned: then it returns nil and `rename` is not called.
    ///
    /// A cancellation comes before it, or too late, unless the file gets no name. No lock is held meanwhile: a file system
    /// may take as long as it likes.
    func attempt<Failure: Error>(_ attempt: Int, rename: () throws(Failure) -> String) throws(Failure) -> String? {
        let mayPublish = core.withLock { core in
            _ = core.handle(.attemptPublishes(attempt))
            return core.machine.isPublishing(attempt)
        }
        guard mayPublish else { return nil }
        do throws(Failure) {
            return try rename()
        } catch {
            handle(.attemptDidNotPublish(attempt))
            throw error
        }
    }

    /// The finished file is at `path`.
    ///
    /// - Parameters:
    ///   - response: what the file came from, if the server was asked.
    ///   - update: what came of a check for an update, if one was made.
    func attempt(
        _ attempt: Int,
        finished path: String,
        size: Int64,
        response: KeptResponse? = nil,
        remarks: [DownloadRemark] = [],
        update: DownloadUpdate? = nil
    ) {
        perform { core in
            guard core.machine.isRunning(attempt) else { return [] }
            core.response = response
            core.remarks = remarks
            core.update = update
            core.meter.complete(at: size, now: core.runtime.now)
            return core.handle(.attemptFinished(attempt, URL(fileURLWithPath: path, isDirectory: false)))
        }
    }

    /// The attempt has failed and closed its file.
    func attempt(
        _ attempt: Int,
        failedWith error: DownloadError,
        _ end: FailedAttempt
    ) {
        perform { core in
            core.history = end.history
            guard core.machine.isRunning(attempt) else { return [] }
            core.redirectedTo = .nowhere
            // The next attempt may be queued at once, and has another operation.
            (core.operation, core.meter.connectionCount) = (nil, 0)
            return core.handle(.attemptFailed(attempt, error, end))
        }
    }

    /// The attempt has closed its file. The host that it was redirected to has no room, or has asked to wait.
    func attempt(_ attempt: Int, waitsFor host: HTTPOrigin, history: ResumeHistory) {
        perform { core in
            core.history = history
            guard core.machine.isRunning(attempt) else { return [] }
            (core.operation, core.meter.connectionCount) = (nil, 0)
            core.redirectedTo = .host(host)
            return core.handle(.turnedAway(attempt))
        }
    }

    /// The operation of this attempt was cancelled. If that was its user's doing, the download ends.
    func operationWasCancelled(_ attempt: Int) {
        perform { core in
            guard core.machine.awaits(attempt) || core.machine.isRunning(attempt) else { return [] }
            return core.handle(.cancel)
        }
    }
}
