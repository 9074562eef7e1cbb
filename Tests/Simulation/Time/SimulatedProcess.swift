import Dispatch
import Foundation
package import Glibc
package import SpateFileSystemCalls
package import SpateTiming

/// A process of a world: what it has planned ends with it.
package final class SimulatedProcess: @unchecked Sendable {
    package let number: pid_t
    package let timeline: Timeline
    /// When it began, in ticks of a hundredth of a second since the boot.
    package let start: UInt64
    package private(set) var isAlive = true
    package let running: RunningProcess
    /// How far the wall clock is from the time of the world: a user sets it.
    package var skew: @Sendable () -> Duration = { .zero }

    /// A clock needs some beginning. All worlds of a run share it, for only differences count.
    private static let beginning = ContinuousClock.now
    /// The wall clock at the world's beginning.
    package static let firstDate = Duration.seconds(1_800_000_000)

    package init(_ number: pid_t, on timeline: Timeline) {
        self.number = number
        self.timeline = timeline
        start = UInt64(timeline.now / .milliseconds(10)) + UInt64(number)
        running = RunningProcess(number)
    }

    /// Ends without a word.
    package func kill() {
        isAlive = false
    }

    /// Time as it passes in the world, and work as it is done there.
    package var runtime: Runtime {
        let (timeline, timers) = (timeline, Timeline.Lane())
        return Runtime(
            clock: { Self.beginning + timeline.now },
            wallClock: { [self] in Self.firstDate + timeline.now + skew() },
            processorTime: { nil },
            randomBits: { timeline.random.next() },
            sleep: { timeline.pass($0) },
            after: { [self] delay, work in
                timeline.after(delay, in: self, on: timers, work)
                timeline.baton?.point()
            },
            makeQueue: { [self] label in
                let queue = SimulatedQueue(label, in: self)
                return .simulated { queue.run($0) }
            },
            // Items of the main queue run when the world drains it: on this thread, in the order in which they came.
            makeStartQueue: { DispatchQueue(label: $0, target: .main) },
            executor: SimulatedExecutor(self)
        )
    }
}

/// Runs its items one after the other, each when chance says so.
private final class SimulatedQueue: @unchecked Sendable {
    private let label: String
    private let process: SimulatedProcess
    private let lane = Timeline.Lane()
    private var items: [@Sendable () -> Void] = []

    init(_ label: String, in process: SimulatedProcess) {
        (self.label, self.process) = (label, process)
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        items.append(work)
        let timeline = process.timeline
        // Mostly at once; now and then it has to wait for a processor, or the disk.
        let delay =
            timeline.onceIn(8) ? timeline.time(upTo: .milliseconds(30)) : timeline.time(upTo: .microseconds(200))
        timeline.after(delay, in: process, on: lane) { [self] in items.removeFirst()() }
        timeline.baton?.point()
    }
}

/// Runs the tasks of users as jobs of the world.
private final class SimulatedExecutor: TaskExecutor, @unchecked Sendable {
    private unowned let process: SimulatedProcess

    init(_ process: SimulatedProcess) {
        self.process = process
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let timeline = process.timeline
        timeline.after(timeline.time(upTo: .milliseconds(5)), in: process) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// What has been given to the main queue runs now, on this thread, and what that gives to it.
package func drainMainQueue() {
    var count: UInt64 = 0
    // An eventfd(2) that says whether there is anything.
    while Glibc.read(mainQueueHandle(), &count, 8) == 8 { runMainQueue(nil) }
}

// As a run loop does it.
@_silgen_name("_dispatch_main_queue_callback_4CF")
private func runMainQueue(_ message: UnsafeMutableRawPointer?)
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> CInt
