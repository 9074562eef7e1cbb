/// The events that an observer has not handled yet: every state, and of each download's progress between two of its
/// states only the newest. So a slow observer costs no more memory than the states that it has not handled and one
/// progress for each download that runs.
struct EventBuffer {
    typealias Element = (download: Download, event: DownloadEvent)

    private var events = FIFO<Element>()
    /// The number of each download's progress that a newer one may replace.
    private var progress: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { events.isEmpty }

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
