import Foundation
import Spate

/// What users do.
extension World {
    enum Wish: CaseIterable {
        case download, several, join, update, overwrite, repair, regret
        case pause, resume, cancel, delete
        case pauseAll, resumeAll, deleteAll
        case slots, rate, prioritize, restore, retry, look, read, verify, depend, fetch
        case dropManager, startProcess, kill, cutPower

        /// How often it comes among all others.
        var weight: Int {
            switch self {
            case .download: 24
            case .pause, .resume: 8
            case .delete: 6
            case .cancel, .several, .kill, .cutPower: 4
            case .join, .update, .overwrite, .repair, .regret, .resumeAll, .restore, .retry, .look, .read, .verify,
                .fetch,
                .startProcess:
                3
            case .pauseAll, .slots, .prioritize, .depend, .dropManager: 2
            case .deleteAll, .rate: 1
            }
        }
    }

    private static let wishes = Wish.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    /// What a user's own sequence may do while the manager reads it.
    private static let wishesInTheMiddle: [Wish] = [
        .download, .pause, .resume, .cancel, .delete, .pauseAll, .resumeAll, .deleteAll, .slots, .prioritize, .look,
    ]

    func planWishes() {
        // The first comes at once, so that no world is without a download.
        timeline.after(.zero) { [self] in perform(.several) }
        for _ in 0..<traits.wishCount {
            let wish = timeline.pick(Self.wishes)
            timeline.after(timeline.time(upTo: traits.faultTime)) { [self] in perform(wish) }
        }
    }

    func perform(_ wish: Wish) {
        guard failure == nil, !isEnding, let session = sessions.isEmpty ? nil : timeline.pick(sessions) else { return }
        guard let manager = session.manager else { return startManager(in: session.process) }
        perform(wish, of: timeline.pick(urls), by: manager, of: session)
    }

    private func perform(_ wish: Wish, of url: URL, by manager: DownloadManager, of session: Session) {
        timeline.note("wish: \(wish) \(shown(url))")
        switch wish {
        case .resume, .join, .download, .update, .overwrite, .repair, .regret, .fetch:
            noteImpatience(for: [url], in: session.process)
        case .resumeAll, .several, .retry: noteImpatience(for: urls, in: session.process)
        default: break
        }
        noteMeeting(with: wish, of: session)
        switch wish {
        case .download: enqueue(request(for: url), by: manager, of: session)
        case .several: enqueueSeveral(by: manager, of: session)
        case .join:
            for _ in 0..<2 { enqueue(request(for: url), by: manager, of: session) }
        case .update:
            var request = request(for: url)
            request.checksForUpdate = true
            revokePromises(of: url)
            enqueue(request, by: manager, of: session)
        case .overwrite:
            var request = request(for: url)
            request.replacesExistingFile = true
            revokeForReplacement(of: url)
            enqueue(request, by: manager, of: session)
        case .repair:
            let request = request(for: url)
            let paths = disk.files(below: Self.top)
            let other: String? = paths.isEmpty || timeline.onceIn(2) ? nil : timeline.pick(paths)
            // What a file had before is not known to the world.
            if request.checksum == nil, request.metalink == nil { return }
            revokeForReplacement(of: url)
            manager.repair(request, from: other.map { URL(fileURLWithPath: $0) })
        case .regret: regret(enqueue(request(for: url), by: manager, of: session), by: manager)
        case .pause: manager.pause(url)
        case .resume: manager.resume(url)
        case .cancel: manager.cancel(url)
        case .delete:
            let paths = promised.filter { $0.value == url && $0.key == Self.folder + "/" + url.lastPathComponent }
            revokePromises(of: url)
            do {
                try manager.delete(url)
                checkDeleted(url, Array(paths.keys), of: session)
            } catch { timeline.note("delete: \(error)") }
            revokePromises(of: url)
        case .pauseAll: manager.pauseAll()
        case .resumeAll: manager.resumeAll()
        case .deleteAll:
            revokePromises(of: nil)
            do { try manager.deleteAll() } catch { timeline.note("deleteAll: \(error)") }
            revokePromises(of: nil)
        case .slots:
            // What has a slot, or was just given one, goes on.
            let holdings = manager.holdings
            session.watcher.hasOtherLimit = true
            session.watcher.slots = holdings.slots + holdings.handedOver
            let concurrency = WorldTraits.concurrency(hasLines: traits.hasLines, timeline)
            // Counted with the number that it had.
            if case .exactly = concurrency {
                noteMeeting(.exact, of: session)
            } else {
                noteMeeting(.automatic, of: session)
            }
            manager.concurrency = concurrency
        case .rate: limitRate(of: manager, or: manager[url])
        case .prioritize:
            let priority: Operation.QueuePriority = timeline.pick([.veryLow, .normal, .veryHigh])
            guard let download = manager[url] else { return }
            noteAsked(download)
            download.operation?.queuePriority = priority
        case .restore: restore(by: manager, of: session)
        case .retry: retryFailures(by: manager, of: session)
        case .look: look(at: url, by: manager, of: session)
        case .read: if traits.hasReaders { startReader(in: session, by: manager) }
        case .verify: startVerification(in: session, by: manager)
        case .depend: depend(on: url, by: manager, of: session)
        case .fetch: fetch(request(for: url), by: manager, of: session)
        case .dropManager: session.dropManager()
        case .startProcess: if Set(sessions.map(\.process.number)).count < traits.processCount { startProcess() }
        case .kill: if traits.kills { interrupt(session.process, soonBy: .kill) }
        case .cutPower: if traits.cutsPower { interrupt(session.process, soonBy: .powerCut) }
        }
    }

    private func noteMeeting(with wish: Wish, of session: Session) {
        switch wish {
        case .pause, .pauseAll, .regret: noteMeeting(.pause, of: session)
        case .resume, .resumeAll: noteMeeting(.resume, of: session)
        case .kill where traits.kills: noteMeeting(.kill, of: session)
        case .cutPower where traits.cutsPower: noteMeeting(.powerCut, of: session)
        default: break
        }
    }

    func revokeForReplacement(of url: URL) {
        overwritten.insert(place(of: url))
        overwritten.insert(Self.folder + "/" + url.lastPathComponent)
        revokePromises(of: url)
        for path in overwritten { promised[path] = nil }
    }

    /// Enqueues several at once. What the user's own sequence does comes in the middle of that.
    private func enqueueSeveral(by manager: DownloadManager, of session: Session) {
        let wanted = urls.filter { _ in timeline.onceIn(2) }
        switch timeline.number(in: 0..<3) {
        case 0: manager.download(wanted.map { request(for: $0) })
        case 1:
            let closures = wanted.map { Closures(of: self, for: $0, in: session.process) }
            self.closures += closures
            let left = Dictionary(zip(wanted, closures), uniquingKeysWith: { first, _ in first })
            manager.download(wanted.map { request(for: $0) }) { download, result in left[download.url]?.note(result) }
        default:
            let requests = wanted.lazy.map { url -> DownloadRequest in
                let wish = self.timeline.pick(Self.wishesInTheMiddle)
                if self.timeline.onceIn(3) {
                    self.perform(wish, of: self.timeline.pick(self.urls), by: manager, of: session)
                }
                return self.request(for: url)
            }
            manager.download(requests)
        }
    }

    /// Wants something else at once, before its turn can have come, or just when it has.
    private func regret(_ download: Download, by manager: DownloadManager) {
        for change in [download.pause, download.resume, download.cancel] where timeline.onceIn(2) { change() }
    }

    private func limitRate(of manager: DownloadManager, or download: Download?) {
        guard traits.limitsRates else { return }
        let rate: Int64? = timeline.pick([nil, 100_000, 3_000_000])
        if let download, timeline.onceIn(2) {
            download.maxBytesPerSecond = rate
        } else {
            manager.maxBytesPerSecond = rate
        }
    }

    /// What other managers have in hand stays theirs, if their queue or the partial file says so. What this one has is
    /// returned, if it has left a partial file.
    private func restore(by manager: DownloadManager, of session: Session) {
        let own = manager.downloads
        let before = Set(own.map(\.id))
        let begun = partialURLs(of: manager)
        let owned = urls.filter { url in
            traits.keepsQueue || disk.attributes(of: place(of: url) + ".part")?["user.spate.owner"] != nil
        }
        let returned = manager.restore { addSecretOfDocument(to: &$0) }
        let restored = returned.filter { !before.contains($0.id) && !$0.state.isTerminal }
        self.restored.formUnion(restored.map(\.url))
        guard jobsAreWhole, isUndisturbed, !traits.choosesPlaces else { return }
        let ids = Set(returned.map(\.id))
        for download in own where begun.contains(download.url) && !ids.contains(download.id) {
            if !download.state.isTerminal, partialURLs(of: manager).contains(download.url) {
                fail("\(shown(download)) has a partial file, and is not returned: \(download.state)")
            }
        }
        for download in restored where owned.contains(download.url) {
            let others = sessions.filter { $0 !== session }.compactMap { $0.manager?[download.url] }
            if let other = others.first(where: { !$0.state.isTerminal }) {
                fail("\(shown(download)) is restored, and another manager has it: \(other.state)")
            }
        }
    }

    private func partialURLs(of manager: DownloadManager) -> Set<URL> {
        Set((try? manager.storedDownloads())?.filter { !$0.isFinished }.map(\.url) ?? [])
    }

    private func look(at url: URL, by manager: DownloadManager, of session: Session) {
        _ = manager.isDownloaded(url)
        _ = manager.fileURL(for: url)
        _ = manager.progress
        if let stored = try? manager.storedDownloads() {
            checkStored(Set(stored.filter(\.isFinished).map(\.url)), of: session)
        }
        _ = try? manager.storedQueue()
        _ = try? manager.storedFailures()
    }

    /// Ends a process now, or in the middle of something that it does soon.
    private func interrupt(_ process: SimulatedProcess, soonBy kind: Interruption) {
        // The world has not noticed yet that one has ended.
        if let planned = interruption, planned.callsLeft < 0 { return }
        let (anyCalls, syncs) = (timeline.number(in: 0..<60), timeline.number(in: 0..<4))
        switch timeline.number(in: 0..<4) {
        case 0: plan(kind, afterCalls: anyCalls)
        // What is on disk, and in which order, is decided there.
        case 1: plan(kind, afterCalls: syncs, named: "sync")
        default: interrupt(process, by: kind)
        }
    }

    private func noteAsked(_ download: Download) {
        asked.insert(ObjectIdentifier(download))
        // Held, so that no other gets its identity.
        askedDownloads.append(download)
    }

    /// Never in a circle: the later one waits for the earlier.
    private func depend(on url: URL, by manager: DownloadManager, of session: Session) {
        let later = urls.drop { $0 != url }.dropFirst()
        guard !later.isEmpty, let second = manager[timeline.pick(Array(later))], let first = manager[url] else {
            return
        }
        guard let operation = first.operation else { return }
        noteAsked(first)
        noteAsked(second)
        dependents[ObjectIdentifier(second)] = second
        if let dependent = second.operation { make(dependent, dependOn: operation, in: session) }
    }
}
