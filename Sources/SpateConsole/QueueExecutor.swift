package import Dispatch

/// Runs an actor on a dispatch queue. The library's closures run on the same queue, so they need no hop and no lock.
package final class QueueExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

/// An actor that runs on a dispatch queue. What runs there need not be asynchronous.
package protocol QueueActor: Actor {
    nonisolated var executor: QueueExecutor { get }
}

extension QueueActor {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Does something on the queue, and returns at once.
    package nonisolated func soon(
        after delay: DispatchTimeInterval = .never,
        _ body: @escaping @Sendable (isolated Self) -> Void
    ) {
        let work = { @Sendable in self.assumeIsolated(body) }
        if delay == .never { return executor.queue.async(execute: work) }
        executor.queue.asyncAfter(deadline: .now() + delay, execute: work)
    }

    /// Does something on the queue, and waits for that.
    package nonisolated func now<Result: Sendable>(_ body: @Sendable (isolated Self) -> Result) -> Result {
        executor.queue.sync { assumeIsolated(body) }
    }
}
