import Locking
import Timing

/// An observer whose events one task reads.
final class EventReader: DownloadObserver {
    typealias Element = EventBuffer.Element

    private struct State {
        var buffer = EventBuffer()
        var isClosed = false
        var isAbandoned = false
        var waiting: CheckedContinuation<Bool, Never>?
    }

    /// What is read.
    enum Interest {
        /// All events of all downloads.
        case manager
        /// All events of one download, until its end.
        case download
        /// The end of one download alone.
        case end
    }

    private let interest: Interest
    private let runtime: Runtime
    private let state = Locked(State())

    init(_ interest: Interest, on runtime: Runtime = .native) {
        (self.interest, self.runtime) = (interest, runtime)
    }

    var wantsProgress: Bool { interest != .end }

    func note(_ event: DownloadEvent, of download: Download) {
        let isEnd = if case .state(let state) = event { state.isTerminal } else { false }
        if interest == .end, !isEnd { return }
        state.withLock { state in
            if state.isClosed { return }
            state.buffer.append(event, of: download)
            if isEnd, interest != .manager { state.isClosed = true }
        }
    }

    func act() {
        let reader = state.withLock { state in
            state.buffer.isEmpty && !state.isClosed ? nil : state.waiting.take()
        }
        reader?.resume(returning: true)
    }

    /// Nothing follows. What was noted can still be read.
    func close() {
        state.withLock { $0.isClosed = true }
        act()
    }

    /// The next event; `nil` after the last, and if the task that reads is cancelled.
    ///
    /// It is taken when the task goes on, under the lock: it is the newest then, and the thread sanitizer sees that it was
    /// handed over. Of a continuation that is resumed just before its task waits it does not see that.
    func next() async -> Element? {
        let mayRead = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSecond = state.withLock { state in
                    if state.waiting != nil { return true }
                    state.waiting = continuation
                    return false
                }
                if isSecond { continuation.resume(returning: false) } else { act() }
            }
        } onCancel: {
            abandon()
        }
        return mayRead ? state.withLock { $0.buffer.popFirst() } : nil
    }

    /// Whether a task waits for the next event.
    var hasWaitingTask: Bool { state.withLock { $0.waiting != nil } }

    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Nobody reads any more.
    func abandon() {
        let unread = state.withLock { state in
            (state.isClosed, state.isAbandoned) = (true, true)
            defer { state.buffer = EventBuffer() }
            return state.buffer
        }
        withExtendedLifetime(unread) {}
        runtime.cancellations.async { [self] in act() }
    }
}

extension Download {
    /// Adds a reader of all events, which begins with the present state.
    func add(reader: EventReader) {
        present { state, _, observers in
            reader.note(.state(state), of: self)
            if !state.isTerminal { observers.append(reader) }
        }
        reader.act()
    }
}

/// Ends an observation when the last reference to it goes: held by a stream of events, which goes with its reader.
final class Subscription: Sendable {
    let reader: EventReader
    private let end: @Sendable (EventReader) -> Void

    init(_ reader: EventReader, end: @escaping @Sendable (EventReader) -> Void) {
        self.reader = reader
        self.end = end
    }

    deinit {
        end(reader)
    }
}
