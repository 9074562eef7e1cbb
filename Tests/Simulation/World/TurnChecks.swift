import Foundation
import Spate

/// In which order downloads get their slots: the one that waits longer, and is no less urgent, runs earlier.
struct Turns {
    /// A download that was told as running.
    struct Start {
        let download: Download
        /// Whether it surely begins for the first time: others may then come before it, although they are as urgent.
        let isFirst: Bool
        /// Since which look it had waited; `nil` if it came later than the last one.
        fileprivate let since: Int?
    }

    private var look = 0
    /// Since which look downloads wait.
    private var waiting: [ObjectIdentifier: Int] = [:]
    private var starts: [Start] = []
    /// Downloads that wait for the end of their previous attempt, which is near. They stand in no line.
    private var followers: Set<ObjectIdentifier> = []

    /// A download waits for the end of its previous attempt.
    mutating func follows(_ download: Download) { followers.insert(ObjectIdentifier(download)) }

    mutating func starts(_ download: Download, isFirst: Bool) {
        if followers.remove(ObjectIdentifier(download)) != nil { return }
        starts.append(Start(download: download, isFirst: isFirst, since: waiting[ObjectIdentifier(download)]))
    }

    /// A download has another state, so that its turn is another one.
    mutating func leaves(_ download: Download) {
        waiting[ObjectIdentifier(download)] = nil
        followers.remove(ObjectIdentifier(download))
    }

    /// Looks at who waits now. Returns those that have begun since the last look, each with who had waited longer.
    mutating func look(at waiting: [Download]) -> [(start: Start, passed: [Download])] {
        let inLine = waiting.filter { !followers.contains(ObjectIdentifier($0)) }
        let passed = starts.map { start in
            let passed = inLine.filter { other in
                guard other !== start.download, let since = self.waiting[ObjectIdentifier(other)] else { return false }
                return since < start.since ?? look
            }
            return (start, passed)
        }
        let known = self.waiting
        self.waiting = [:]
        for download in waiting { self.waiting[ObjectIdentifier(download)] = known[ObjectIdentifier(download)] ?? look }
        look += 1
        starts = []
        return passed.filter { !$0.1.isEmpty }
    }
}

extension World {
    /// Nobody starves: a download that waits for a slot alone is not passed by a later one that is no more urgent.
    func checkTurns(_ manager: DownloadManager, of session: Session) {
        // With several threads, events of one moment are told in any order.
        guard jobsAreWhole else { return }
        let waiting = manager.downloads.filter { [.waiting(.slot), .waiting(.host)].contains($0.state) }
        session.watcher.look(atWaiting: waiting)
        for (start, passed) in session.watcher.turns.look(at: waiting) {
            let first = start.download
            // A user has its operation, and with it another order.
            if asked.contains(ObjectIdentifier(first)) { continue }
            for other in passed where !asked.contains(ObjectIdentifier(other)) {
                // Who waits for anything else is passed.
                if other.waitsForHost || manager.hasOpenFile(other) { continue }
                let (mine, others) = (first.request.priority.rawValue, other.request.priority.rawValue)
                let isAsUrgent = others == mine && (start.isFirst || session.watcher.hasRun(other))
                if others > mine || isAsUrgent {
                    fail("\(shown(first)) has passed \(shown(other)), which waits longer")
                }
            }
        }
    }
}
