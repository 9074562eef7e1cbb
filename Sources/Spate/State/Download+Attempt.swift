import Dispatch
import Foundation
import HTTPResumption
import Locking

extension Download {
    /// Takes the operation that was made for this attempt; false when it is no longer wanted.
    func take(_ operation: DownloadOperation, for attempt: DownloadMachine.AttemptID) -> Bool {
        core.withLock { core in
            guard core.machine.awaits(attempt) else { return false }
            core.operation = operation
            return true
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

    var history: ResumeHistory { core.withLock { $0.history } }
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
