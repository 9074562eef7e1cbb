import Foundation
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// What the queue and the attempts ask a download.
extension Download {
    /// The key of its URL for comparisons; `nil` if it cannot be downloaded.
    var key: HTTPURL? { valid?.url }

    /// The host that its next attempt waits for.
    var host: HTTPOrigin { core.withLock { Self.host($0, valid) } }

    /// The host that this attempt waits for; `nil` if it does not wait with this priority.
    func host(ofAttempt attempt: Int, with priority: Operation.QueuePriority) -> HTTPOrigin? {
        core.withLock { $0.priority == priority && $0.machine.awaits(attempt) ? Self.host($0, valid) : nil }
    }

    fileprivate static func host(_ core: DownloadCore, _ request: ValidRequest?) -> HTTPOrigin {
        core.redirectedTo ?? (core.machine.sources.mirror ?? request?.url)?.origin ?? .none
    }

    /// Whether this attempt waits for a slot with this priority.
    func awaits(_ attempt: Int, with priority: Operation.QueuePriority) -> Bool {
        core.withLock { $0.priority == priority && $0.machine.awaits(attempt) }
    }

    /// Whether the waiting attempt ignores that its host has asked to wait.
    var isUrgent: Bool { core.withLock { $0.machine.isUrgent } }

    /// The operation of an attempt that waits for a slot, made and added to the queue if new; `nil` if the download no
    /// longer waits for this attempt.
    ///
    /// - Parameters:
    ///   - lease: the connection of a new operation. Without one, it gets its connection when it starts.
    ///   - isTurn: whether the download has left the line; false if only its operation was requested.
    func operation(
        for attempt: Int,
        in manager: DownloadManager,
        with lease: HostLease? = nil,
        isTurn: Bool = true
    ) -> (operation: DownloadOperation, isNew: Bool)? {
        // Into the queue under the lock, so that nobody can add it to another queue first.
        let made = core.withLock { core -> (operation: DownloadOperation, isNew: Bool)? in
            guard core.machine.awaits(attempt) else { return nil }
            if let operation = core.operation {
                if isTurn { operation.isAskedFor = false }
                return (operation, false)
            }
            let operation = DownloadOperation(
                attempt,
                at: self,
                of: manager,
                host: Self.host(core, valid),
                lease: lease,
                isAskedFor: !isTurn
            )
            // Setting it costs, even to the same value.
            if core.priority != .normal { operation.queuePriority = core.priority }
            // An abandoned attempt, of this download or an earlier one, may still have the file open.
            let holder = manager.table.withLock { $0.holder(of: self) }
            if let holder { operation.wait(for: holder) }
            core.operation = operation
            manager.feed.add(operation)
            if holder != nil { operation.noteReadiness() }
            return (operation, true)
        }
        if made?.isNew == true { manager.feed.operationsMayStart() }
        return made
    }

    var runtime: Runtime { core.withLock { $0.runtime } }

    /// The state and progress at one moment.
    var standing: (state: DownloadState, progress: DownloadProgress) {
        core.withLock { core in
            let state = core.machine.state
            var progress = core.meter.progress(now: core.runtime.now)
            // The speed fades within seconds; a stopped download has none at once.
            if !state.isRunning { progress.bytesPerSecond = 0 }
            return (state, progress)
        }
    }

    /// Whether it has ended. Its ``state`` says so too, at the cost of a URL.
    var hasEnded: Bool { core.withLock { $0.machine.hasEnded } }

    /// Whether it is queued, runs or waits for a retry.
    var isBusy: Bool {
        switch state {
        case .waiting, .running: true
        case .paused, .finished, .failed, .cancelled: false
        }
    }

    /// Ends it because the file already exists.
    func endAtOnce(with file: StoredFile) {
        perform { core in
            core.meter.complete(at: file.size, now: core.runtime.now)
            return core.handle(.endAtOnce(.finished(file.finalPath)))
        }
    }

    /// What the attempt that has begun takes over.
    func start(in manager: DownloadManager) -> AttemptStart {
        core.withLock { core in
            AttemptStart(
                mirror: core.machine.sources.mirror,
                beginsAnew: core.machine.sources.beginsAnew,
                rate: core.share(of: manager, ownLimit: enqueuedRequest.maxBytesPerSecond),
                isUrgent: core.machine.isUrgent,
                history: core.history,
                startsOver: core.hasLostBytes && core.history.hasRestarted
            )
        }
    }

    /// The size of the URL's file, if it is known and the file has mirrors.
    var originTotal: Int64? { core.withLock { $0.machine.sources.originTotal } }

    /// Whether mirrors of the file are known.
    var hasMirrors: Bool { core.withLock { $0.machine.sources.haveMirrors } }

    /// Its share of the manager's rate, made when first needed; `nil` if the manager has gone.
    var rateShare: RateShare? {
        core.withLock { core in
            core.rate ?? manager.map { core.share(of: $0, ownLimit: enqueuedRequest.maxBytesPerSecond) }
        }
    }

    var history: ResumeHistory { core.withLock { $0.history } }

    var previousError: DownloadError? { core.withLock { $0.machine.previousError } }

    /// Whether there is a partial file, as far as attempts have said.
    var keepsPartialFile: Bool { core.withLock { $0.keepsPartialFile } }

    /// The error of a cancelled or deleted download.
    var cancellation: DownloadError {
        var error = DownloadError.wasCancelled.of(url)
        error.keptPartialFile = keepsPartialFile
        return error
    }

    var isDeleted: Bool { core.withLock { $0.isDeleted } }
}
