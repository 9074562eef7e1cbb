import Dispatch
import Foundation
import SpateLocking

/// Calls closures later, one at a time.
///
/// Dispatch ends the process if it gets no descriptors for its first timer. So the first manager sets that timer, if
/// many descriptors are left; later timers need no more. Until then a thread sleeps.
package enum TimerQueue {
    private enum Timers {
        case none, beingMade, ready
    }

    private struct State {
        var timers = Timers.none
        /// What the sleeping thread calls.
        var waiting: [(due: ContinuousClock.Instant, work: @Sendable () -> Void)] = []
    }

    /// Serial: Dispatch's shared pool, which the program may block, does not supply the threads of a serial queue.
    private static let queue = DispatchQueue(label: "spate.timers")
    private static let state = Locked(State())

    /// Dispatch takes three. Other threads may take some first.
    private static let leastDescriptors: UInt = 32
    /// Dispatch traps on a time that does not fit. Nobody waits for a decade.
    private static let longest = 3e8

    package static func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        let due = ContinuousClock.now + delay
        let (isReady, isFirst) = state.withLock { state in
            if state.timers != .ready { state.waiting.append((due, work)) }
            return (state.timers == .ready, state.waiting.count == 1)
        }
        if isReady { set(due, work) } else if isFirst { queue.async { keepTime() } }
    }

    private static func set(_ due: ContinuousClock.Instant, _ work: @escaping @Sendable () -> Void) {
        let delay = min(max(0, (due - .now).inSeconds), longest)
        queue.asyncAfter(deadline: .now() + delay, execute: work)
    }

    /// Calls due closures without Dispatch's timers, until those exist.
    private static func keepTime() {
        while true {
            usleep(10_000)
            prepare()
            let now = ContinuousClock.now
            let (works, left, isReady) = state.withLock { state in
                let isReady = state.timers == .ready
                let works = state.waiting.filter { isReady || $0.due <= now }
                state.waiting.removeAll { isReady || $0.due <= now }
                return (works, state.waiting.count, isReady)
            }
            for (due, work) in works { if isReady { set(due, work) } else { work() } }
            if left == 0 { return }
        }
    }

    /// Makes Dispatch create its descriptors, unless it has them or few are left.
    package static func prepare() {
        let begins = state.withLock { state in
            guard state.timers == .none, hasDescriptors else { return false }
            state.timers = .beingMade
            return true
        }
        guard begins else { return }
        // Dispatch needs a timer's descriptor only for a deadline in the future. After two more timers have fired in
        // turn, it has looked at this one. Not on the queue, which may wait for this.
        let first = DispatchQueue(label: "spate.first-timer")
        first.asyncAfter(deadline: .now() + longest) {}
        first.asyncAfter(deadline: .now() + 0.001) {
            first.asyncAfter(deadline: .now() + 0.001) { state.withLock { $0.timers = .ready } }
        }
    }

    /// The system assigns the lowest free number.
    private static var hasDescriptors: Bool {
        let lowest = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard lowest >= 0 else { return false }
        close(lowest)
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        return limit.rlim_cur >= UInt(lowest) + leastDescriptors
    }
}
