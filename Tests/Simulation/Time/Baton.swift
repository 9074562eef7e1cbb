import CSpateObstacles
import Foundation
import SpateTestSupport

/// The second way to play a world: its jobs run on threads, and only the thread with the baton runs. The baton is
/// passed where another thread could interleave in a real process: before taking a lock, before a file system call, and
/// after adding work to a queue. The world's seed decides where it is passed, and to which thread.
///
/// The main thread has it first, and runs the work of Dispatch's main queue.
final class Baton: @unchecked Sendable {
    /// Jobs that may be due so much later than now may begin while others are in the middle of theirs.
    private static let haste = Duration.milliseconds(1)
    private static let greatHaste = Duration.milliseconds(50)

    private unowned let timeline: Timeline
    private var random: SeededRandom
    private let main = BatonHolder()
    private let workers: [BatonHolder]
    private var present: BatonHolder
    /// Whether something may have been given to the main queue since it was last seen to.
    private(set) var mainIsDue = false
    private var mayBegin = false
    /// How often in a row nobody could go on.
    private var hangCount = 0

    init(_ timeline: Timeline) {
        self.timeline = timeline
        random = SeededRandom(seed: timeline.random.next())
        workers = Array(BatonHolder.workers.prefix(random.below(BatonHolder.workers.count) + 1))
        present = main
    }

    /// The calling thread, the main one, has the baton from now on.
    func begin() {
        Self.current = self
        spate_baton_join()
        var baton = spate_baton(
            pass: { Baton.current?.pass(.ready) },
            wait: { mutex in Baton.current?.pass(.waiting(mutex)) },
            released: { mutex in Baton.current?.released(mutex) }
        )
        spate_baton_begin(&baton, random.next(), [3, 10, 30, 100][random.below(4)])
    }

    /// - Precondition: no job is under way.
    func end() {
        spate_baton_end()
        Self.current = nil
    }

    /// A process plays one world at a time.
    private nonisolated(unsafe) static var current: Baton?

    // MARK: Of any thread that has it

    /// A place where another thread may come between.
    func point() { spate_baton_point() }

    /// Others go on until this has passed.
    func sleep(_ duration: Duration) {
        if duration > .zero { pass(.sleeping(until: timeline.now + duration)) }
    }

    private func pass(_ state: BatonHolder.State) {
        let own = present
        own.state = state
        giveToNext()
        own.wait()
    }

    private func released(_ mutex: UnsafeMutableRawPointer) {
        hangCount = 0
        for holder in workers + [main] {
            if case .waiting(mutex) = holder.state { holder.state = .ready }
        }
    }

    // MARK: Of the main thread

    /// Lets others go on for a while, and begin what is due. False if there is nothing left to do.
    func step() -> Bool {
        mayBegin = true
        if isQuiet, timeline.nextDue() == nil { return false }
        letOthersGoOn()
        return true
    }

    /// Lets all end what they are at. Nobody begins anything until the next step.
    func settle() {
        mayBegin = false
        while !isQuiet { letOthersGoOn() }
    }

    /// Whether nobody is in the middle of anything.
    var isQuiet: Bool { workers.allSatisfy(\.isIdle) }

    private func letOthersGoOn() {
        seesToMain()
        pass(.idle)
    }

    /// What was given to the main queue so far runs now.
    func seesToMain() { mainIsDue = false }

    // MARK: Choosing

    private func giveToNext() {
        let next = next()
        next.state = .ready
        present = next
        if next !== main { mainIsDue = true }
        next.signal()
    }

    private func next() -> BatonHolder {
        wake()
        var ready = (workers + [main]).filter(\.isReady)
        if main.isIdle, mainIsDue { ready.append(main) }
        if ready.isEmpty { return nextInTime() }
        let haste = random.below(32) == 0 ? Self.greatHaste : Self.haste
        let worker = beginner(by: timeline.now + haste)
        let choice = random.below(ready.count + (worker == nil ? 0 : 1))
        return choice == ready.count ? begin(worker ?? main) : ready[choice]
    }

    /// Nobody can go on now: time passes.
    private func nextInTime() -> BatonHolder {
        let wakeTime = (workers + [main]).compactMap(\.wakeTime).min()
        if let worker = beginner(by: wakeTime) { return begin(worker) }
        if let wakeTime {
            timeline.advance(to: wakeTime)
            return next()
        }
        if main.isIdle, isQuiet { return main }
        // Another thread of the process may have it, for a moment.
        for holder in workers + [main] {
            if case .waiting = holder.state { holder.state = .ready }
        }
        hangCount += 1
        if hangCount == 1_000 { fatalError("threads wait for each other") }
        usleep(1_000)
        return next()
    }

    /// An idle thread for the next job, if a job is due by then.
    private func beginner(by time: Duration?) -> BatonHolder? {
        guard mayBegin, let worker = workers.first(where: \.isIdle), let due = timeline.nextDue() else { return nil }
        return time.map { due <= $0 } ?? true ? worker : nil
    }

    private func begin(_ worker: BatonHolder) -> BatonHolder {
        guard let job = timeline.begin() else { return worker }
        worker.begin(job, with: self)
        return worker
    }

    private func wake() {
        for holder in workers + [main] {
            if let time = holder.wakeTime, time <= timeline.now { holder.state = .ready }
        }
    }

    /// A thread has run its job.
    func end(_ lane: Timeline.Lane?, on worker: BatonHolder) {
        timeline.end(lane)
        worker.state = .idle
        giveToNext()
    }
}
