import Dispatch
import Spate

/// Says when it is time to look for downloads that have ended: ten times a second, and when none is left.
///
/// To be told of each end would wake a thread each time, which costs a good part of what a small file does.
final class EndWatch {
    private let timer: any DispatchSourceTimer

    /// - Parameter look: called on the queue.
    init(on queue: DispatchQueue, look: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(100), repeating: .milliseconds(100))
        timer.setEventHandler(handler: look)
        timer.activate()
    }

    deinit {
        timer.cancel()
    }
}
