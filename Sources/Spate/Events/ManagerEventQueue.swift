/// What one reader of a manager's events has not read yet: every state, and of each download's progress between two of
/// its states only the last. So what waits is bounded by the states that were not read and the downloads that run.
struct ManagerEventQueue: MailboxQueue {
    typealias Element = (download: Download, event: DownloadEvent)

    private var waiting: [Element?] = []
    /// How many at the front of `waiting` were taken: moving the rest up each time would cost as much as there is.
    private var takenInFront = 0
    /// How many were dropped from the front altogether, so that a place in the line has one number for ever.
    private var dropped = 0
    /// The place of a download's progress that a newer one may replace.
    private var progressPlaces: [ObjectIdentifier: Int] = [:]
    /// Which downloads have been told of, as long as those that were there before are being introduced.
    private var heard: Set<ObjectIdentifier>? = []

    /// The present state of a download that was there before the reader, unless it has been told of since.
    mutating func introduce(_ download: Download, in state: DownloadState) {
        guard heard?.insert(ObjectIdentifier(download)).inserted == true else { return }
        append((download, .state(state)))
    }

    mutating func endIntroductions() { heard = nil }

    mutating func put(_ element: Element) {
        let identity = ObjectIdentifier(element.download)
        switch element.event {
        case .state:
            heard?.insert(identity)
            progressPlaces[identity] = nil
            append(element)
        case .progress:
            // Its state comes first.
            if let heard, !heard.contains(identity) { return }
            if let place = progressPlaces[identity] {
                waiting[place - dropped] = element
            } else {
                progressPlaces[identity] = dropped + waiting.count
                append(element)
            }
        }
    }

    mutating func take() -> Element? {
        guard takenInFront < waiting.count, let element = waiting[takenInFront] else { return nil }
        waiting[takenInFront] = nil
        let place = dropped + takenInFront
        let identity = ObjectIdentifier(element.download)
        if progressPlaces[identity] == place { progressPlaces[identity] = nil }
        takenInFront += 1
        if takenInFront * 2 >= waiting.count {
            waiting.removeFirst(takenInFront)
            dropped += takenInFront
            takenInFront = 0
        }
        return element
    }

    private mutating func append(_ element: Element) {
        waiting.append(element)
    }
}
