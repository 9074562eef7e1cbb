import SpateTiming

/// An observer whose events one task reads.
final class EventReader: DownloadObserver {
    typealias Element = EventBuffer.Element

    private struct Content: MailboxContent {
        var buffer = EventBuffer()
        var isClosed = false
        var isAbandoned = false

        var isReadable: Bool { !buffer.isEmpty || isClosed }

        mutating func popFirst() -> Element? { buffer.popFirst() }
    }

    /// Which events to read.
    enum Interest {
        /// All events of all downloads.
        case manager
        /// All events of one download, until its end.
        case download
        /// The failures of all downloads that are retried.
        case retries
    }

    private let interest: Interest
    private let runtime: Runtime
    private let mailbox = Mailbox(Content())

    init(_ interest: Interest, on runtime: Runtime = .native) {
        (self.interest, self.runtime) = (interest, runtime)
    }

    var wantsProgress: Bool { interest == .manager || interest == .download }

    func wants(_ event: DownloadEvent) -> Bool {
        guard interest == .retries else { return true }
        return if case .state(.waiting(.retry)) = event { true } else { false }
    }

    func note(_ event: DownloadEvent, of download: Download) {
        let isEnd = if case .state(let state) = event { state.isTerminal } else { false }
        mailbox.withLock { content in
            if content.isClosed { return }
            content.buffer.append(event, of: download)
            if isEnd, interest == .download { content.isClosed = true }
        }
    }

    func note(_ end: DownloadEnd, of download: Download) {
        if interest != .retries { note(.state(end.state), of: download) }
    }

    func act() { mailbox.wake() }

    /// Nothing follows. Noted events can still be read.
    func close() { mailbox.change { $0.isClosed = true } }

    /// The next event; `nil` after the last, and if the reading task is cancelled.
    func next() async -> Element? { await mailbox.next { self.abandon() } }

    /// Whether a task waits for the next event.
    var hasWaitingTask: Bool { mailbox.hasReader }

    var isAbandoned: Bool { mailbox.withLock { $0.isAbandoned } }

    /// Nobody reads any more.
    func abandon() {
        let unread = mailbox.withLock { content in
            (content.isClosed, content.isAbandoned) = (true, true)
            defer { content.buffer = EventBuffer() }
            return content.buffer
        }
        withExtendedLifetime(unread) {}
        runtime.cancellations.async { [self] in act() }
    }
}

extension Download {
    /// Adds a reader of all events, beginning with the present state.
    func add(reader: EventReader) {
        present { state, _, observers in
            reader.note(.state(state), of: self)
            if !state.isTerminal { observers.append(reader) }
        }
        reader.act()
    }
}

/// Ends an observation with its last reference. A stream of events holds it, and goes with its reader.
final class Subscription<Reader: DownloadObserver>: Sendable {
    let reader: Reader
    private let end: @Sendable (Reader) -> Void

    init(_ reader: Reader, end: @escaping @Sendable (Reader) -> Void) {
        self.reader = reader
        self.end = end
    }

    deinit {
        end(reader)
    }
}
