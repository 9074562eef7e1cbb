package import Dispatch
package import Foundation

/// Time, chance, and work for later. A process has one for all that it does; each process of a simulated world has its own,
/// in which time passes as the world likes, and the same seed makes the same happen.
package final class Runtime: Sendable {
    /// A clock that nobody sets, and that goes on while the machine sleeps.
    package let clock: @Sendable () -> ContinuousClock.Instant
    /// The wall clock: the time since 1970.
    package let wallClock: @Sendable () -> Duration
    /// The time of all processors since the start of the machine, and how much of it they were idle; `nil` if the system does
    /// not say.
    package let processorTime: @Sendable () -> (idle: Double, all: Double)?
    /// 64 random bits.
    package let randomBits: @Sendable () -> UInt64
    /// Blocks this thread.
    package let sleep: @Sendable (Duration) -> Void
    /// Runs something later, not before that has passed. What is short: it holds up what others have planned.
    package let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    /// Makes a queue that runs one item at a time.
    package let makeQueue: @Sendable (_ label: String) -> SerialQueue
    /// Makes the queue that starts operations.
    package let makeStartQueue: @Sendable (_ label: String) -> DispatchQueue
    /// Where the closures of users that wait run; `nil` for the threads that all tasks share.
    package let executor: (any TaskExecutor)?
    /// Where tasks go on that were cancelled.
    ///
    /// Swift calls a cancellation handler while it goes through what belongs to the task. A task executor that runs its
    /// jobs at once would run the task to its end in there, and Swift would go on with freed memory.
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
        executor: (any TaskExecutor)?
    ) {
        (self.clock, self.wallClock, self.processorTime) = (clock, wallClock, processorTime)
        (self.randomBits, self.sleep) = (randomBits, sleep)
        (self.after, self.makeQueue, self.makeStartQueue) = (after, makeQueue, makeStartQueue)
        self.executor = executor
        cancellations = makeQueue("spate.cancellations")
    }

    package var now: ContinuousClock.Instant { clock() }

    package var date: Date { Date(timeIntervalSince1970: wallClock().inSeconds) }

    /// A number from 0 to 1.
    package var fraction: Double { Double(randomBits() >> 11) / Double(1 << 53 - 1) }
}

extension Runtime {
    /// That of this process.
    // Its queues are serial, because the threads of a serial queue are not taken from Dispatch's shared pool, which the
    // program may block.
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
        executor: nil
    )
}

/// Runs what it is given one after the other, in its order, not at once.
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
