import HTTPSyntax
import PartialFiles
import QueueJournals

/// A manager's knowledge of the queues that other runs left in its folder.
struct LeftQueues {
    /// Held, and so locked, because their entries could not be written here.
    private var held: [LeftJournal] = []
    /// The hashes of downloads that finished or were refused here. Present or future abandoned queues may have the same
    /// entries.
    private var done: [Int] = []

    var doneCount: Int { done.count }

    /// Holds a journal whose entries run here, so that no other process runs them.
    mutating func hold(_ journal: LeftJournal) { held.append(journal) }

    mutating func note(done hash: Int) { done.append(hash) }

    /// Returns and forgets the hashes; `nil` if there are fewer than this.
    mutating func takeDone(atLeast least: Int) -> Set<Int>? {
        if done.count < least { return nil }
        defer { done = [] }
        return Set(done)
    }
}

extension DownloadDirectory {
    /// Ends the entries of abandoned queues whose work is done. Also ends the leading entries of each queue whose files
    /// exist.
    func endLeftEntries(done: Set<Int>) {
        for left in takeJournals(onlyToLook: true) {
            var isFinished = true
            try? left.endEntries { entry in
                if done.contains(entry.hash(ownFolder: path)) || done.contains(entry.hashOfRefusal) { return true }
                // A long queue without finished files costs one look at the disk.
                isFinished = isFinished && hasFile(of: entry)
                return isFinished
            }
        }
    }

    private func hasFile(of entry: JournalEntry) -> Bool {
        guard !entry.needsAttempt, let request = entry.request, let url = try? HTTPURL(entry.url) else { return false }
        let place = entry.place(of: url, ownFolder: path)
        let directory = place.directory == path ? self : DownloadDirectory(path: place.directory, platform: platform)
        guard let file = (try? directory.finishedFile(of: url, naming: place.naming)) ?? nil else { return false }
        return request.accepts(size: file.size)
    }
}

extension Download {
    /// The hash of its finished or refused work; `nil` if another try may help.
    func hashOfDone(as state: DownloadState) -> Int? {
        guard let valid else { return nil }
        return switch state {
        case .finished: enqueuedRequest.hashOfFile(valid)
        case .failed(let error) where error.code == .httpStatus && !error.isRetryable:
            enqueuedRequest.hashOfRefusal(valid)
        default: nil
        }
    }
}
