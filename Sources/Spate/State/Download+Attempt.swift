import Dispatch
import Foundation
import HTTPResumption
import Locking

extension Download {
    /// The operation of an attempt whose turn has come, or may come; `nil` when it is no longer wanted.
    func operation(for attempt: DownloadMachine.AttemptID, of manager: DownloadManager) -> DownloadOperation? {
        core.withLock { core in
            guard core.machine.awaits(attempt) else { return nil }
            return core.operation(for: attempt, of: self, manager)
        }
    }

    /// The queue has come to this attempt; false when it is no longer wanted.
    func start(_ attempt: DownloadMachine.AttemptID, operation: DownloadOperation) -> Bool {
        core.withLock { core in
            let actions = core.machine.handle(.attemptStarted(attempt))
            guard !actions.isEmpty else { return false }
            // Within the lock, so that whoever stops this attempt finds it holding its file.
            if let key { manager?.registry.withLock { $0.started(operation, of: key) } }
            core.tellState(of: self)
            return true
        }
    }

    /// The operation of this attempt was cancelled. Where that is not the download's own doing, it ends with it.
    func cancelled(_ attempt: DownloadMachine.AttemptID) {
        perform { core in
            guard core.machine.awaits(attempt) || core.machine.isRunning(attempt) else { return [] }
            return core.machine.handle(.cancel)
        }
    }

    var history: ResumeHistory { core.withLock { $0.history } }
}

extension DownloadCore {
    /// Most attempts wait for a long time, and for nobody who asks for their operation: it is made when somebody does.
    mutating func operation(
        for attempt: DownloadMachine.AttemptID,
        of download: Download,
        _ manager: DownloadManager
    ) -> DownloadOperation {
        if let operation { return operation }
        let operation = manager.makeOperation(of: download, attempt: attempt)
        self.operation = operation
        return operation
    }
}

extension Download: AttemptObserver {
    func attempt(_ id: DownloadMachine.AttemptID, beganAt offset: Int64, total: Int64?) {
        let now = ContinuousClock.now
        core.withLock { core in
            guard core.machine.isRunning(id) else { return }
            core.meter.begin(at: offset, total: total, now: now)
        }
    }

    func attempt(_ id: DownloadMachine.AttemptID, advancedTo offset: Int64) {
        let now = ContinuousClock.now
        let delay = core.withLock { core -> Duration? in
            guard core.machine.isRunning(id) else { return nil }
            if core.meter.advance(to: offset, now: now) {
                core.tellProgress(of: self, now: now)
                return nil
            }
            return core.isProgressHeard ? core.meter.planTelling(now: now) : nil
        }
        guard let delay else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.inSeconds) { [weak self] in
            guard let self else { return }
            core.withLock { core in
                let now = ContinuousClock.now
                guard core.result == nil, core.meter.takePlannedTelling(now: now) else { return }
                core.tellProgress(of: self, now: now)
            }
        }
    }

    func attempt(_ id: DownloadMachine.AttemptID, publish: () throws -> AttemptResult) throws -> AttemptResult? {
        let now = ContinuousClock.now
        var published: Result<AttemptResult, any Error>?
        perform { core in
            // The rename happens under the lock: a cancellation comes before it or after it, never between.
            guard core.machine.isRunning(id) else { return [] }
            let result = Result { try publish() }
            published = result
            guard case .success(let file) = result else { return [] }
            core.remarks = file.remarks
            core.meter.complete(at: file.size, now: now)
            return core.machine.handle(.attemptFinished(id, file.file))
        }
        return try published?.get()
    }

    func attempt(_ id: DownloadMachine.AttemptID, endedWith failure: AttemptFailure, history: ResumeHistory) {
        perform { core in
            core.history = history
            return core.machine.handle(
                .attemptFailed(id, failure.error, reached: failure.reached, retryAfter: failure.retryAfter)
            )
        }
    }

    var isDeleted: Bool { core.withLock { $0.isDeleted } }
}
