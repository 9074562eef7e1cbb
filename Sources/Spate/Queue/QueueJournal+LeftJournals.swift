import HTTPResumption
import PartialFiles

/// What a manager does to the journals that other runs left in its folder.
extension QueueJournal {
    /// These entries have been added here, so they go there, unless they could not be written here.
    func replace(_ entries: [(journal: LeftJournal, numbers: NumberSet)]) {
        if entries.isEmpty { return }
        let isKept = writeDurably()
        for (journal, numbers) in entries {
            do throws(FileSystemError) {
                if isKept { try journal.end(numbers) } else { hold(journal) }
            } catch {
                hold(journal)
            }
        }
    }

    /// The hash of what a download has done, or was refused; `nil` if another try may do better.
    func hash(of download: Download, as state: DownloadState) -> Int? {
        guard let valid = download.valid else { return nil }
        let entry = { JournalEntry(download.enqueuedRequest, valid, ownFolder: self.directory.path) }
        return switch state {
        case .finished: entry().hash(ownFolder: directory.path)
        case .failed(let error) where error.code == .httpStatus && !error.isRetryable: entry().hashOfRefusal
        default: nil
        }
    }

    /// Takes what has been done here out of the journals that were left, and of each what is finished from its start on.
    func takeOutOfLeftJournals(_ done: Set<Int>) {
        for left in directory.takeJournals(onlyToLook: true) {
            var isFinished = true
            try? left.endEntries { entry in
                if done.contains(entry.hash(ownFolder: directory.path)) || done.contains(entry.hashOfRefusal) {
                    return true
                }
                // A long queue of which nothing is finished costs one look at the disk.
                isFinished = isFinished && self.isFinished(entry)
                return isFinished
            }
        }
    }

    private func isFinished(_ entry: JournalEntry) -> Bool {
        guard !entry.needsAttempt, let request = entry.request, let url = try? HTTPURL(entry.url) else { return false }
        let naming = entry.fileName.flatMap { try? FileName(explicit: $0) }.map(FileNaming.explicit) ?? .derived
        let folder = entry.folder.map { DownloadDirectory(path: $0, platform: directory.platform) } ?? directory
        guard let file = (try? folder.finishedFile(of: url, naming: naming)) ?? nil else { return false }
        return request.accepts(size: file.size)
    }
}
