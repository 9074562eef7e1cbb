import SpateTiming

/// An observer whose events one task reads.
final class EventReader: DownloadObserver {
    typealias Element = EventBuffer.Element

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
    let isUse: Bool
    private let mailbox = Mailbox<EventBuffer>()

    init(_ interest: Interest, on runtime: Runtime = .native, isUse: Bool = true) {
        (self.interest, self.runtime, self.isUse) = (interest, runtime, isUse)
    }

    var wantsProgress: Bool { interest == .manager || interest == .download }

    func wants(_ state: DownloadState) -> Bool {
        guard interest == .retries else { return true }
        return if case .waiting(.retry) = state { true } else { false }
    }

    func note(_ event: DownloadEvent, of download: Download) {
        let isEnd = if case .state(let state) = event { state.isTerminal } else { false }
        mailbox.note(isLast: isEnd && interest == .download) { $0.append(event, of: download) }
    }

    func note(_ end: DownloadEnd, of download: Download) {
        if interest != .retries { note(.state(end.state), of: download) }
    }

    func act() { mailbox.wake() }

    func close() { mailbox.close() }

    /// Whether nothing follows.
    var isClosed: Bool { mailbox.isClosed }

    /// The next event; `nil` after the last, and if the reading task is cancelled.
    func next() async -> Element? { await mailbox.next { self.abandon() } }

    /// Whether a task waits for the next event.
    var hasWaitingTask: Bool { mailbox.hasReader }

    /// Nobody reads any more.
    func abandon() { mailbox.abandon(on: runtime) }
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
