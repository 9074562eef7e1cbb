import Dispatch
import Glibc

/// Calls on a queue ten times a second, and when something was typed.
final class LiveClock {
    private let timer: any DispatchSourceTimer
    private let input: any DispatchSourceRead
    private var listens = false

    init(on queue: DispatchQueue, tick: @escaping @Sendable () -> Void, input read: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        timer.setEventHandler(handler: tick)
        input.setEventHandler(handler: read)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(5))
        timer.activate()
    }

    /// Whether it calls for what is typed; what a program in the background leaves unread would call for ever.
    func listen(_ wanted: Bool) {
        guard wanted != listens else { return }
        listens = wanted
        if wanted { input.resume() } else { input.suspend() }
    }

    func end() {
        timer.cancel()
        // A source that is suspended can't be let go of.
        listen(true)
        input.cancel()
    }
}
