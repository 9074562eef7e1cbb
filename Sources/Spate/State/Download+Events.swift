import Dispatch
import Foundation
import Locking

extension Download {
    /// Feeds the rules, and does what follows from them.
    func handle(_ event: DownloadMachine.Event) {
        perform { $0.machine.handle(event) }
    }

    /// Changes the core under its lock, then performs the actions outside of it.
    func perform(_ change: (inout DownloadCore) -> [DownloadMachine.Action]) {
        let now = ContinuousClock.now
        var abandoned: DownloadOperation?
        var waiters: [FileWaiters.Continuation] = []
        var result: Result<URL, DownloadError>?
        let actions = core.withLock { core in
            let actions = change(&core)
            for action in actions {
                switch action {
                case .abandon: abandoned = core.operation.take()
                case .wait: core.operation = nil
                case .tellState: core.tellState()
                case .tellEnd:
                    core.operation = nil
                    result = core.result
                    waiters = core.tellEnd(now: now)
                case .enqueue: break
                }
            }
            return actions
        }
        // The registry forgets an ended download before anybody who waits for its end can ask.
        if result != nil { manager?.forget(self) }
        if let abandoned { manager?.abandon(abandoned) }
        for action in actions {
            switch action {
            case .enqueue(let attempt): manager?.enqueue(self, attempt: attempt)
            case .wait(let attempt, let delay): retry(attempt, after: delay)
            case .abandon, .tellState, .tellEnd: break
            }
        }
        if let result {
            for waiter in waiters { waiter.resume(with: result.mapError { $0 }) }
        }
    }

    private func retry(_ attempt: DownloadMachine.AttemptID, after delay: Duration) {
        // The timer holds the manager, too: a download that waits for a retry is not over.
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.inSeconds) { [self, manager] in
            withExtendedLifetime(manager) { handle(.retryDue(attempt)) }
        }
    }
}
