import SpateFileSystemCalls
import SpateLocking
import SpateTestSupport
import SpateTiming

/// Time that only the test moves on.
final class TurnedTime: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var timers: [(due: ContinuousClock.Instant, work: @Sendable () -> Void)] = []
    }

    private let state = Locked(State())

    var platform: Platform {
        var platform = Platform.native
        platform.runtime = .native(
            clock: { self.state.withLock { $0.now } },
            after: { delay, work in self.state.withLock { $0.timers.append((due: $0.now + delay, work: work)) } }
        )
        return platform
    }

    /// Timers that fall due meanwhile are called at their time.
    func advance(by duration: Duration) {
        let end = state.withLock { $0.now + duration }
        while let work = nextTimer(until: end) { work() }
        state.withLock { $0.now = end }
    }

    private func nextTimer(until end: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            let next = state.timers.indices.min { state.timers[$0].due < state.timers[$1].due }
            guard let next, state.timers[next].due <= end else { return nil }
            let timer = state.timers.remove(at: next)
            state.now = max(state.now, timer.due)
            return timer.work
        }
    }
}
