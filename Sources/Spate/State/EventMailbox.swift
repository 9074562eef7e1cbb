/// What one reader of a download's events has not read yet.
typealias EventMailbox = Mailbox<EventQueue>

/// Every state is kept; of several progress events between two of them only the last, so that a reader who takes its
/// time costs no memory.
struct EventQueue: MailboxQueue {
    private var events: [DownloadEvent] = []

    mutating func put(_ event: DownloadEvent) {
        if case .progress = event, case .progress = events.last { events.removeLast() }
        events.append(event)
    }

    mutating func take() -> DownloadEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }
}
