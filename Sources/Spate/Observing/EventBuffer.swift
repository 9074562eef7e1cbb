/// The unhandled events of an observer: every state, and for each download only the newest progress between two states.
/// So a slow observer uses memory only for the unhandled states and one progress for each running download.
struct EventBuffer: MailboxContent {
    typealias Element = (download: Download, event: DownloadEvent)

    private var events = FIFO<Box<Element>>()
    /// Each download's progress event that a newer one may replace.
    private var progress: [ObjectIdentifier: Box<Element>] = [:]

    var isReadable: Bool { !events.isEmpty }

    mutating func append(_ event: DownloadEvent, of download: Download) {
        let (identity, new) = (ObjectIdentifier(download), Box<Element>((download, event)))
        if case .progress = event {
            if let pending = progress[identity] { return pending.value = new.value }
            progress[identity] = new
        } else {
            progress[identity] = nil
        }
        events.append(new)
    }

    mutating func popFirst() -> Element? {
        guard let first = events.popFirst() else { return nil }
        let identity = ObjectIdentifier(first.value.download)
        if progress[identity] === first { progress[identity] = nil }
        return first.value
    }
}
