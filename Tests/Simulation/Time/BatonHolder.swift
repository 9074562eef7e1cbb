import CSpateObstacles
import Dispatch
import Foundation

/// A thread that goes on while it has the baton.
final class BatonHolder: @unchecked Sendable {
    enum State {
        case idle
        case ready
        case sleeping(until: Duration)
        case waiting(UnsafeMutableRawPointer)
    }

    private let semaphore = DispatchSemaphore(value: 0)
    private var task: (job: Timeline.Job, baton: Baton)?
    var state = State.idle

    /// The threads of the process that run jobs, one world after the other.
    static let workers: [BatonHolder] = (0..<5).map { _ in
        let holder = BatonHolder()
        Thread.detachNewThread { holder.run() }
        return holder
    }

    var isIdle: Bool { if case .idle = state { true } else { false } }
    var isReady: Bool { if case .ready = state { true } else { false } }
    var wakeTime: Duration? { if case .sleeping(let until) = state { until } else { nil } }

    func signal() { semaphore.signal() }
    func wait() { semaphore.wait() }

    func begin(_ job: Timeline.Job, with baton: Baton) { task = (job, baton) }

    private func run() {
        spate_baton_join()
        while true {
            semaphore.wait()
            guard let (lane, baton) = task.map({ ($0.job.lane, $0.baton) }) else { continue }
            task?.job.work()
            // What goes with the job may do something, too.
            task = nil
            baton.end(lane, on: self)
        }
    }
}
