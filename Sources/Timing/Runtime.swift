package import Dispatch
package import Foundation

/// Time, randomness and scheduling. A process shares one. Each process of a simulated world has its own, whose time the
/// world controls; the same seed makes the same events happen.
package final class Runtime: Sendable {
    /// A monotonic clock that continues while the machine sleeps.
    package let clock: @Sendable () -> ContinuousClock.Instant
    /// The wall clock: the time since 1970.
    package let wallClock: @Sendable () -> Duration
    /// The time of all processors since boot, and their idle time; `nil` if the system does not say.
    package let processorTime: @Sendable () -> (idle: Double, all: Double)?
    /// 64 random bits.
    package let randomBits: @Sendable () -> UInt64
    /// Blocks this thread.
    package let sleep: @Sendable (Duration) -> Void
    /// Runs a closure after at least this time. Keep it short: it delays the other timers.
    package let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    /// Makes a queue that runs one item at a time.
    package let makeQueue: @Sendable (_ label: String) -> SerialQueue
    /// Makes the queue that starts operations.
    package let makeStartQueue: @Sendable (_ label: String) -> DispatchQueue
    /// Calls a closure with each number below a count, on several threads if there are processors for them, and waits.
    package let inParallel: @Sendable (_ count: Int, @Sendable (Int) -> Void) -> Void
    /// Runs the closures of waiting users; `nil` for the threads that all tasks share.
    package let executor: (any TaskExecutor)?
    /// Resumes tasks that were cancelled.
    ///
    /// Swift calls a cancellation handler while it walks the task's records. A task executor that runs jobs at once
    /// would finish the task inside the handler, and Swift would then use freed memory.
    package let cancellations: SerialQueue

    package init(
        clock: @escaping @Sendable () -> ContinuousClock.Instant,
        wallClock: @escaping @Sendable () -> Duration,
        processorTime: @escaping @Sendable () -> (idle: Double, all: Double)?,
        randomBits: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (Duration) -> Void,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
        makeQueue: @escaping @Sendable (_ label: String) -> SerialQueue,
        makeStartQueue: @escaping @Sendable (_ label: String) -> DispatchQueue,
        inParallel: @escaping @Sendable (_ count: Int, @Sendable (Int) -> Void) -> Void = { count, body in
            for number in 0..<count { body(number) }
        },
        executor: (any TaskExecutor)?
    ) {
        (self.clock, self.wallClock, self.processorTime) = (clock, wallClock, processorTime)
        (self.randomBits, self.sleep) = (randomBits, sleep)
        (self.after, self.makeQueue, self.makeStartQueue) = (after, makeQueue, makeStartQueue)
        self.inParallel = inParallel
        self.executor = executor
        cancellations = makeQueue("spate.cancellations")
    }

    package var now: ContinuousClock.Instant { clock() }

    package var date: Date { Date(timeIntervalSince1970: wallClock().inSeconds) }

    /// A number from 0 to 1.
    package var fraction: Double { Double(randomBits() >> 11) / Double(1 << 53 - 1) }
}

extension Runtime {
    /// The runtime of this process.
    // The queues are serial: Dispatch's shared pool, which the program may block, does not supply the threads of a
    // serial queue.
    package static let native = Runtime(
        clock: { .now },
        wallClock: {
            var now = timespec()
            clock_gettime(CLOCK_REALTIME, &now)
            return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
        },
        processorTime: { ProcessorTime.read() },
        randomBits: { .random(in: .min ... .max) },
        sleep: {
            usleep(UInt32(clamping: $0.components.seconds * 1_000_000 + $0.components.attoseconds / 1_000_000_000_000))
        },
        after: { TimerQueue.after($0, $1) },
        makeQueue: { .dispatch(DispatchQueue(label: $0)) },
        makeStartQueue: { DispatchQueue(label: $0) },
        inParallel: { DispatchQueue.concurrentPerform(iterations: $0, execute: $1) },
        executor: nil
    )
}

/// Runs its items in order, one at a time, never within the call that adds them.
package enum SerialQueue: Sendable {
    case dispatch(DispatchQueue)
    case simulated(@Sendable (@escaping @Sendable () -> Void) -> Void)

    package func async(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .dispatch(let queue): queue.async(execute: work)
        case .simulated(let run): run(work)
        }
    }
}
