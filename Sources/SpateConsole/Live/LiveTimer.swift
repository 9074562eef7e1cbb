package import Dispatch

/// Calls back on a queue: ten times a second, and when there is keyboard input.
package final class LiveTimer {
    private let timer: any DispatchSourceTimer
    private let input: (any DispatchSourceRead)?
    private var listens = false

    /// - Parameter descriptor: the file descriptor to read keys from; `nil` to read none.
    package init(
        on queue: DispatchQueue,
        reading descriptor: Int32? = nil,
        tick: @escaping @Sendable () -> Void,
        input read: @escaping @Sendable () -> Void = {}
    ) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        input = descriptor.map { DispatchSource.makeReadSource(fileDescriptor: $0, queue: queue) }
        timer.setEventHandler(handler: tick)
        input?.setEventHandler(handler: read)
        timer.schedule(deadline: .now(), repeating: .milliseconds(100), leeway: .milliseconds(5))
        timer.activate()
    }

    /// Turns the calls for input on or off. In the background input stays unread, and the source would fire forever.
    package func listen(_ wanted: Bool) {
        guard wanted != listens else { return }
        listens = wanted
        if wanted { input?.resume() } else { input?.suspend() }
    }

    package func end() {
        timer.cancel()
        // A suspended source must not be released.
        listen(true)
        input?.cancel()
    }
}
