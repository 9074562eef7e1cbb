import Foundation
import Spate

/// What must hold of the number of downloads that may run at once.
extension World {
    /// Looks at each manager after each job, so that no number is missed.
    func checkLimits() {
        for session in sessions {
            guard let manager = session.manager else { continue }
            let (concurrency, limit) = (manager.concurrency, manager.maxConcurrentDownloads)
            switch concurrency {
            case .exactly(let count):
                if limit != max(1, count) { fail("\(limit) may run at once, where \(count) are wanted") }
            case .automatic(let most):
                // What the process can bear. See `Pacer`.
                let bound = max(1, min(most, traits.disk.mostDescriptors / 6))
                if !(1...bound).contains(limit) { fail("\(limit) may run at once, where \(bound) are the most") }
            }
            checkSlotsTaken(manager, limit, of: session)
            checkPacedHosts(manager, of: session)
        }
    }

    /// Who has a slot when the number is lowered keeps it, and nobody else gets one until fewer have.
    private func checkSlotsTaken(_ manager: DownloadManager, _ limit: Int, of session: Session) {
        let holdings = manager.holdings
        defer { session.watcher.look(at: manager) }
        // A user may have changed the number twice since.
        guard jobsAreWhole, holdings.slots > max(limit, session.watcher.taken, session.watcher.slots) else { return }
        fail("\(holdings.slots) attempts run, where \(limit) may, and \(session.watcher.taken) did")
    }

    /// Who is connected when a host bears no more may stay, and nobody comes until fewer are.
    private func checkPacedHosts(_ manager: DownloadManager, of session: Session) {
        guard jobsAreWhole else { return }
        let hosts = manager.pacedHosts
        if !hosts.isEmpty { noteMeeting(.pacedHost, of: session) }
        for (host, now) in hosts {
            let former = session.watcher.pacedHosts[host]?.connections ?? now.connections
            if now.connections > max(now.limit, former) {
                fail("\(host) has \(now.connections) connections, where it bears \(now.limit), and had \(former)")
            }
        }
    }

    /// A manager says that another number may run.
    func note(_ change: ConcurrencyChange, of watcher: Watcher) {
        let place = change.host.map { " at \($0)" } ?? ""
        timeline.note("\(change.limit) may run at once\(place), not \(change.former): \(change.reason)")
        guard jobsAreWhole, change.host == nil else { return }
        if change.former != watcher.reportedLimit || change.limit == change.former {
            fail("the number is reported as \(change.former), then \(change.limit), after \(watcher.reportedLimit)")
        }
        watcher.reportedLimit = change.limit
    }

    /// At rest all changes have been reported.
    func checkReportedLimit(of session: Session) {
        guard jobsAreWhole, let limit = session.manager?.maxConcurrentDownloads else { return }
        if limit != session.watcher.reportedLimit {
            fail("\(limit) may run at once at the end, and \(session.watcher.reportedLimit) is reported")
        }
    }
}
