import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

/// A manager's knowledge of the queues that other runs left in its folder.
struct LeftQueues {
    /// Held, and so locked, because their entries could not be written here.
    private var held: [LeftJournal] = []
    /// The work of downloads that ended here. Present or future abandoned queues may have the same entries.
    private var done = DoneWork()

    var doneCount: Int { done.count }

    /// Holds a journal whose entries run here, so that no other process runs them.
    mutating func hold(_ journal: LeftJournal) { held.append(journal) }

    /// Nobody holds them any more.
    mutating func takeHeld() -> [LeftJournal] {
        defer { held = [] }
        return held
    }

    mutating func note(_ work: EndedWork) { done.note(work) }

    /// Returns and forgets the work; `nil` if there are fewer ends than this.
    mutating func takeDone(atLeast least: Int) -> DoneWork? {
        if done.count < least { return nil }
        defer { done = DoneWork() }
        return done
    }
}

extension DownloadDirectory {
    /// Ends the entries of abandoned queues whose work is done, and failures that are over. Also ends the leading ones of
    /// each queue whose files exist.
    func endLeftEntries(done: DoneWork) {
        // Most folders have none. What stays in a queue is found finished when it is restored, or fetched again.
        guard let journals = try? takeJournals(onlyToLook: true), !journals.isEmpty else { return }
        let (hashes, places) = (Set(done.hashes), Set(done.places))
        for left in journals {
            // A long queue without finished files costs two looks at the disk.
            var (isFinished, isFailureFinished) = (true, true)
            try? left.end { entry in
                if hashes.contains(entry.hash(ownFolder: path)), isOfItsSize(entry) { return true }
                if hashes.contains(entry.hashOfRefusal) { return true }
                isFinished = isFinished && hasFile(of: entry)
                return isFinished
            } failuresWhere: { entry in
                if places.contains(entry.placeHash(ownFolder: path)) { return true }
                isFailureFinished = isFailureFinished && hasFile(of: entry)
                return isFailureFinished
            }
        }
    }

    /// Whether the size of the finished file is one that this entry accepts.
    private func isOfItsSize(_ entry: JournalEntry) -> Bool {
        let acceptsAny = entry["size"] == nil && entry["max"] == nil
        // Proven by a checksum, it is the right one.
        return acceptsAny || entry.checksum != nil || hasFile(of: entry) { $0.accepts(size: $1.size) }
    }

    /// Whether the file of an entry is finished, and will do.
    private func hasFile(
        of entry: JournalEntry,
        where suits: (WantedFile, StoredFile) -> Bool = { $0.verdict(on: $1) == .answer }
    ) -> Bool {
        guard let request = entry.request, var claim = entry.claim(ownFolder: path) else { return false }
        // Only a folder that is read as a whole shows another name that the server chose. The process may have to end
        // soon, and the entry does no harm.
        if claim.naming == .stated { claim = FileClaim(claim.origin, in: claim.folder, naming: .derived) }
        let directory = claim.folder == path ? self : DownloadDirectory(path: claim.folder, platform: platform)
        guard let file = (try? directory.finishedFile(claim)) ?? nil else { return false }
        return suits(WantedFile(request), file)
    }
}
