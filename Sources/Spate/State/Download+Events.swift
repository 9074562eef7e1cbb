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
        var abandons = false
        var abandoned: DownloadOperation?
        var oldWait: RetryWait?
        var newWait: RetryWait?
        var farewells = DownloadCore.Farewells()
        var result: Result<URL, DownloadError>?
        let actions = core.withLock { core in
            let actions = change(&core)
            // Whatever happens to a download that waits for a retry, it waits no longer.
            if !actions.isEmpty { oldWait = core.retryWait.take() }
            for action in actions {
                switch action {
                case .abandon:
                    abandons = true
                    abandoned = core.operation.take()
                case .wait:
                    core.operation = nil
                    newWait = RetryWait(for: self, manager: manager)
                    core.retryWait = newWait
                case .tellState: core.tellState(of: self)
                case .tellEnd:
                    core.operation = nil
                    result = core.result
                    farewells = core.tellEnd(of: self, now: now)
                case .enqueue: break
                }
            }
            return actions
        }
        oldWait?.cancel()
        // The registry forgets an ended download before anybody who waits for its end can ask.
        if result != nil { manager?.forget(self) }
        if abandons { manager?.abandon(abandoned) }
        for action in actions {
            switch action {
            case .enqueue(let attempt): manager?.enqueue(self, attempt: attempt)
            case .wait(let attempt, let delay): newWait?.begin(attempt, after: delay)
            case .abandon, .tellState, .tellEnd: break
            }
        }
        if let result {
            for waiter in farewells.waiters { waiter.resume(with: result.mapError { $0 }) }
            for ending in farewells.endings { ending(result) }
        }
    }
}
