import Locking

/// The observers of all downloads of a manager. To a download it is one observer; while it has no members, notifying it
/// costs a lock.
final class Observers: DownloadObserver {
    private struct Member {
        let observer: any DownloadObserver
        /// While the downloads that were there before are being presented: those that the observer knows already.
        var known: Set<ObjectIdentifier>? = []
    }

    private let members = Locked<[Member]>([])

    /// Adds an observer, which first gets the present state of these downloads. They are asked for after it was added,
    /// so it misses none, and it gets no state twice.
    func add(_ observer: any DownloadObserver, presenting downloads: () -> [Download]) {
        members.withLock { $0.append(Member(observer: observer)) }
        for download in downloads() {
            download.present { state, progress, _ in
                if state.isTerminal { return }
                let isNew = change(observer) { $0.known?.insert(ObjectIdentifier(download)).inserted } == true
                if isNew { observer.notePresent(state, progress, of: download) }
            }
        }
        _ = change(observer) { $0.known = nil }
        observer.act()
    }

    func remove(_ observer: any DownloadObserver) {
        let removed = members.withLock { members in
            members.firstIndex { $0.observer === observer }.map { members.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    var isEmpty: Bool { members.withLock { $0.isEmpty } }

    var wantsProgress: Bool { members.withLock { $0.contains { $0.observer.wantsProgress } } }

    func note(_ event: DownloadEvent, of download: Download) {
        members.withLock { members in
            for index in members.indices {
                if members[index].known != nil {
                    switch event {
                    case .state: members[index].known?.insert(ObjectIdentifier(download))
                    // Its state comes first.
                    case .progress: if members[index].known?.contains(ObjectIdentifier(download)) != true { continue }
                    }
                }
                members[index].observer.note(event, of: download)
            }
        }
    }

    func act() {
        for member in members.withLock({ $0 }) { member.observer.act() }
    }

    func close() {
        let removed = members.withLock { members in
            defer { members = [] }
            return members
        }
        for member in removed { member.observer.close() }
    }

    private func change<Result>(_ observer: any DownloadObserver, _ change: (inout Member) -> Result) -> Result? {
        members.withLock { members in
            members.firstIndex { $0.observer === observer }.map { change(&members[$0]) }
        }
    }
}
