import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpateTiming

// The reports of an attempt to its download. Each call names the attempt, because an abandoned attempt may still report
// after its successor began.
extension Download {
    /// The queue has started the operation of this attempt; false if the download no longer waits for it.
    func begin(_ attempt: Int, operation: DownloadOperation, in manager: DownloadManager) -> Bool {
        var begins = false
        perform { core in
            let actions = core.handle(.attemptStarted(attempt))
            begins = !actions.isEmpty
            // Under the lock, so that a thread that abandons this attempt finds it holding the file.
            if begins { manager.table.withLock { $0.setHolder(operation) } }
            return actions
        }
        if begins, let limit = enqueuedRequest.timeLimit { beginTime(limit, from: attempt) }
        return begins
    }

    /// The queue has started the operation of this attempt, but its host has enough connections. The attempt waits
    /// again, at its place in the line if it still has one.
    func turnAway(_ operation: DownloadOperation, _ attempt: Int) {
        perform { core in
            guard core.machine.awaits(attempt) else { return [] }
            core.operation = nil
            return operation.isAskedFor ? [] : core.handle(.turnedAway(attempt))
        }
    }

    /// Notes what an attempt reports, unless it was abandoned.
    func note(_ report: AttemptReport, of attempt: Int) {
        switch report {
        case .reached(let offset, let isAll): noteProgress(of: attempt, offset, isAll: isAll)
        case .failed(let error, let end): noteEnd(of: attempt, error, end)
        case .waits(let host, let history, let keepsBytes):
            noteEnd(of: attempt, waitingFor: host, history, keepsBytes: keepsBytes)
        default:
            core.withLock { core in
                if core.machine.isRunning(attempt) { note(report, in: &core) }
            }
        }
    }

    /// Notes reports that notify nobody at once.
    private func note(_ report: AttemptReport, in core: inout DownloadCore) {
        switch report {
        case .total(let total): core.machine.noteOriginTotal(total)
        case .begins(let offset, let total, let response):
            (core.hasLostBytes, core.response) = (false, response)
            core.meter.begin(at: offset, total: total, now: core.runtime.now)
            if core.machine.sources.mirror == nil { core.machine.noteOriginTotal(total) }
        case .connections(let count): core.meter.connectionCount = count
        case .mirrors(let mirrors, let total): add(mirrors, total: total, to: &core)
        case .metalink(let known):
            core.serverMetalink = known
            guard let file = known.file else { return }
            add(file.urls.compactMap { try? HTTPURL($0.absoluteString) }, total: file.size, to: &core)
        case .reached, .failed, .waits: break
        }
    }

    /// Adds mirrors that the server named.
    private func add(_ mirrors: [HTTPURL], total: Int64?, to core: inout DownloadCore) {
        core.machine.sources.add(
            mirrors: mirrors.filter { $0 != key },
            isVerified: WantedFile(enqueuedRequest, core.serverMetalink.file).isProvable,
            isNamed: false
        )
        core.machine.noteOriginTotal(total)
    }

    private func noteProgress(of attempt: Int, _ offset: Int64, isAll: Bool) {
        let (actors, later) = core.withLock { core -> (DownloadCore.Actors?, (Runtime, Duration)?) in
            guard core.machine.isRunning(attempt) else { return (nil, nil) }
            let runtime = core.runtime
            // Read only if it is needed: small files come all at once.
            lazy var now = runtime.now
            if core.meter.advance(to: offset, isAll: isAll, now: now) {
                return (core.noteProgress(of: self, now: now), nil)
            }
            // Planned ten times a second at most; so is this search.
            guard let delay = core.meter.planReport(now: now), core.wantsProgress else { return (nil, nil) }
            return (nil, (runtime, delay))
        }
        actors?.act()
        guard let (runtime, delay) = later else { return }
        runtime.after(delay) { [weak self] in self?.reportPlannedProgress() }
    }

    private func reportPlannedProgress() {
        let actors = core.withLock { core -> DownloadCore.Actors? in
            let now = core.runtime.now
            guard !core.machine.hasEnded, core.meter.takePlannedReport(now: now) else { return nil }
            return core.noteProgress(of: self, now: now)
        }
        actors?.act()
    }

    /// This many bytes are on disk, before the first attempt begins.
    func found(_ size: Int64, of total: Int64?) {
        core.withLock { core in
            guard !core.machine.hasEnded, core.meter.find(size, of: total) else { return }
            core.count(of: self, now: core.runtime.now)
        }
    }

    /// Counts received bytes while it runs in its manager's progress. Returns the remaining time.
    func countReceived(now: ContinuousClock.Instant) -> Duration? {
        core.withLock { core in
            guard core.machine.isRunning else { return nil }
            core.count(of: self, now: now)
            var progress = core.meter.progress(now: now)
            progress.totalBytes = progress.totalBytes ?? enqueuedRequest.expectedBytes
            return progress.timeRemaining
        }
    }

    /// Gives the file its final name. If the attempt was abandoned, returns nil and does not call `rename`.
    ///
    /// A cancellation comes before this or too late, unless the file gets no name. No lock is held meanwhile: a file
    /// system may take long.
    func publish<Path, Failure: Error>(of attempt: Int, rename: () throws(Failure) -> Path) throws(Failure) -> Path? {
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

    /// The file has its final name. The operation of the attempt ends next.
    func isPublished(by attempt: Int) {
        perform { core in
            let actions = core.handle(.attemptIsPublished(attempt))
            if !core.machine.hasAttempt { core.operation = nil }
            return actions
        }
    }

    /// Notes that an attempt has finished, unless it was abandoned.
    func noteEnd(of attempt: Int, _ end: FinishedAttempt) {
        perform { core in
            guard core.machine.isRunning(attempt) else { return [] }
            (core.response, core.update) = (end.response, end.update)
            core.remarks = end.remarks
            let others = core.serverMetalink.remarks
            if !others.isEmpty { core.remarks += others }
            core.meter.complete(at: end.size, now: core.runtime.now)
            return core.handle(.attemptFinished(attempt, end.path))
        }
    }

    private func noteEnd(of attempt: Int, _ error: DownloadError, _ end: FailedAttempt) {
        perform { core in
            core.history = end.history
            guard core.machine.isRunning(attempt) else { return [] }
            (core.redirectedTo, core.hasLostBytes) = (nil, !error.keptPartialFile)
            // The next attempt may be queued at once, and has its own operation.
            (core.operation, core.meter.connectionCount) = (nil, 0)
            return core.handle(.attemptFailed(attempt, error.of(url), end))
        }
    }

    private func noteEnd(
        of attempt: Int,
        waitingFor host: HTTPOrigin,
        _ history: ResumeHistory,
        keepsBytes: Bool
    ) {
        perform { core in
            core.history = history
            guard core.machine.isRunning(attempt) else { return [] }
            (core.operation, core.meter.connectionCount) = (nil, 0)
            (core.redirectedTo, core.hasLostBytes) = (host, !keepsBytes)
            return core.handle(.turnedAway(attempt))
        }
    }

    /// The operation of this attempt was cancelled. If its user did that, the download ends.
    func operationWasCancelled(_ attempt: Int) {
        var isPresent = false
        perform { core in
            isPresent = core.machine.awaits(attempt) || core.machine.isRunning(attempt)
            return isPresent ? core.handle(.cancel) : []
        }
        if isPresent { writeCancellation() }
    }
}
