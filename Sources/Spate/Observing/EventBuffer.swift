/// The unhandled events of an observer: every state, and for each download only the newest progress between two states.
/// So a slow observer uses memory only for the unhandled states and one progress for each running download.
struct EventBuffer: MailboxContent {
    typealias Element = (download: Download, event: DownloadEvent)

    private var events = FIFO<Element>()
    /// The number of each download's progress event that a newer one may replace.
    private var progress: [ObjectIdentifier: Int] = [:]

    var isReadable: Bool { !events.isEmpty }

    mutating func append(_ event: DownloadEvent, of download: Download) {
        let identity = ObjectIdentifier(download)
        switch event {
        case .state:
            progress[identity] = nil
            events.append((download, event))
        case .progress:
            if let number = progress[identity] {
                events.replace(number, with: (download, event))
            } else {
                progress[identity] = events.append((download, event))
            }
        }
    }

    mutating func popFirst() -> Element? {
        let number = events.firstNumber
        guard let first = events.popFirst() else { return nil }
        let identity = ObjectIdentifier(first.download)
        if progress[identity] == number { progress[identity] = nil }
        return first
    }
}
