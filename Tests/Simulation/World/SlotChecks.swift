import Spate

/// What must hold of slots and connections at any moment.
extension World {
    func checkSlots() {
        for session in sessions where session.watcher.takeNews() {
            guard let manager = session.manager else { continue }
            check(manager, of: session)
        }
    }

    private func check(_ manager: DownloadManager, of session: Session) {
        checkTurns(manager, of: session)
        let (holdings, limit) = (manager.holdings, manager.maxConcurrentDownloads)
        // Attempts that run or start when the limit is lowered continue.
        var former = jobsAreWhole ? 0 : session.watcher.limit
        if case .automatic(let most) = manager.concurrency { former = most }
        if holdings.slots > max(limit, former, session.watcher.slots) {
            fail("\(holdings.slots) attempts run on \(limit) slots")
        }
        (session.watcher.slots, session.watcher.limit) = (holdings.slots, limit)
        guard holdings.slots < limit else { return }
        let starving = session.watcher.hostWaiters.first {
            $0.waitsForHost && hasRoom($0.url, of: session, leases: holdings.leases)
        }
        if let starving { fail("\(shown(starving)) waits for its host, which has room") }
        for download in manager.downloads {
            guard download.state == .waiting(.slot), !manager.hasOpenFile(download),
                dependents[ObjectIdentifier(download)] == nil
            else { continue }
            fail("\(shown(download)) waits, and \(limit - holdings.slots) slots are free")
        }
    }

    /// What has not ended.
    var unfinished: String {
        let downloads = sessions.flatMap { session in
            (session.manager?.downloads ?? []).map { "\(shown($0)) of \(session.process.number) is \($0.state.name)" }
        }
        let readers = readers.filter { !$0.isOver && $0.process.isAlive }.map { "reader \($0.number) waits" }
        let all = downloads + readers
        return all.isEmpty ? "no download, but something is planned again and again" : all.joined(separator: ", ")
    }

    /// Everything has ended: nothing is held any more.
    func checkHoldings() {
        for session in sessions {
            guard let manager = session.manager else { continue }
            let holdings = manager.holdings
            if holdings != DownloadManager.Holdings() { fail("at the end a manager holds \(holdings)") }
            checkReportedLimit(of: session)
        }
    }
}
