package import SpateTestSupport

/// All jobs of a world. Each runs at its virtual time; chance decides the order of jobs that are due together. Nothing
/// else happens in a world, so the same seed reproduces the same events.
///
/// Only one thread at a time runs in a world, so there are no locks here.
package final class Timeline: @unchecked Sendable {
    struct Job {
        var due: Duration
        let rank: UInt64
        let process: SimulatedProcess?
        let lane: Lane?
        let work: () -> Void

        fileprivate func comes(before other: Job) -> Bool {
            due != other.due ? due < other.due : rank < other.rank
        }
    }

    /// The jobs of a lane never run at the same time, as those of a serial queue.
    final class Lane: @unchecked Sendable {
        fileprivate var isBusy = false
        /// Jobs that were due while it was busy.
        fileprivate var late: [Job] = []
    }

    /// The time since the world's beginning.
    package private(set) var now = Duration.zero
    /// Passed from thread to thread, if jobs run on several.
    var baton: Baton?
    package var random: SeededRandom
    package let trace = Trace()
    /// A heap: each comes before the two below it.
    private var jobs: [Job] = []
    private var count: UInt64 = 0

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// What dead processes had planned, passed over and not released yet.
    private var dead: [Job] = []
    /// How many jobs have run.
    package private(set) var stepCount = 0
    /// Whether there is nothing left to do, and nobody does anything.
    package var isEmpty: Bool { jobs.isEmpty && baton?.isQuiet ?? true }

    /// Runs something when this has passed. A process that has been killed by then does nothing.
    package func after(_ delay: Duration, in process: SimulatedProcess? = nil, _ work: @escaping () -> Void) {
        after(delay, in: process, on: nil, work)
    }

    func after(
        _ delay: Duration,
        in process: SimulatedProcess?,
        on lane: Lane?,
        _ work: @escaping () -> Void
    ) {
        count += 1
        // The lower half makes each one's rank another, whatever chance says.
        let rank = random.next() & ~0xFFFF_FFFF | count & 0xFFFF_FFFF
        add(Job(due: now + max(.zero, delay), rank: rank, process: process, lane: lane, work: work))
    }

    private func add(_ job: Job) {
        jobs.append(job)
        rise(from: jobs.count - 1)
    }

    /// Releases what dead processes had planned. That may take locks, and so pass the baton: not while the next thread
    /// is chosen.
    private func releaseDead() {
        let gone = dead
        dead = []
        withExtendedLifetime(gone) {}
    }

    /// Runs the next job; false if there is none. With a baton: has others run until this thread has it again.
    package func step() -> Bool {
        releaseDead()
        if let baton { return baton.step() }
        guard let job = begin() else { return false }
        job.work()
        end(job.lane)
        return true
    }

    /// Takes the next job that can begin.
    func begin() -> Job? {
        guard nextDue() != nil, let job = popFirst() else { return nil }
        advance(to: job.due)
        stepCount += 1
        job.lane?.isBusy = true
        return job
    }

    /// When the next job is due that can begin: one of a living process, whose lane is free.
    func nextDue() -> Duration? {
        while let job = jobs.first {
            let isAlive = job.process?.isAlive ?? true
            if isAlive, job.lane?.isBusy != true { return job.due }
            _ = popFirst()
            if isAlive { job.lane?.late.append(job) } else { dead.append(job) }
        }
        return nil
    }

    /// What was late on a lane is due, now that its job has run.
    func end(_ lane: Lane?) {
        guard let lane else { return }
        lane.isBusy = false
        for late in lane.late { add(late) }
        lane.late = []
    }

    func advance(to time: Duration) { now = max(now, time) }

    /// Lets time pass while a thread sleeps. With a baton others go on meanwhile; without one, what is due is late.
    package func pass(_ duration: Duration) {
        if let baton { baton.sleep(duration) } else { now += max(.zero, duration) }
    }

    /// Forgets everything that is planned: the end of the world.
    package func close() {
        while !jobs.isEmpty || !dead.isEmpty {
            let gone = jobs + dead
            (jobs, dead) = ([], [])
            // What goes with them may plan more.
            withExtendedLifetime(gone) {}
        }
    }

    /// Forgets what dead processes had planned.
    package func removeDead() {
        let left = jobs.filter { $0.process?.isAlive != false }
        let gone = jobs
        jobs = []
        for job in left { add(job) }
        withExtendedLifetime(gone) {}
    }

    private func popFirst() -> Job? {
        guard let first = jobs.first else { return nil }
        let last = jobs.removeLast()
        if !jobs.isEmpty {
            jobs[0] = last
            sink()
        }
        return first
    }

    private func rise(from index: Int) {
        var index = index
        while index > 0, jobs[index].comes(before: jobs[(index - 1) / 2]) {
            jobs.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private func sink() {
        var index = 0
        while true {
            var first = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < jobs.count && jobs[child].comes(before: jobs[first]) {
                first = child
            }
            if first == index { return }
            jobs.swapAt(first, index)
            index = first
        }
    }
}

extension Timeline {
    /// Whether something happens that does so once in `count` times.
    package func onceIn(_ count: Int) -> Bool { random.below(count) == 0 }

    package func number(in range: Range<Int>) -> Int { range.lowerBound + random.below(range.count) }

    package func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

    /// A time up to this, evenly.
    package func time(upTo longest: Duration) -> Duration {
        .nanoseconds(Int64(random.next() % UInt64(max(1, longest / .nanoseconds(1)))))
    }
}
