import Foundation
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

extension DownloadManager {
    /// The failed downloads in the manager's folder: those of all processes and managers that kept their queue there,
    /// with ``Configuration-swift.struct/keepsQueue``. First those of the oldest queue; of each, in the order of their
    /// failures.
    ///
    /// ``restore()`` leaves them alone. To try them again, enqueue their requests, before restoring partial files. A
    /// failure is forgotten when its file is enqueued again, by this or another manager, when its URL is deleted, or
    /// when the file turns out to be complete. Of several failures for one URL the last in this order is returned.
    ///
    /// A request that was refused without an attempt, such as one with an invalid URL, is not kept, nor is a cancelled
    /// download.
    ///
    /// - Throws: ``DownloadError`` if the folder, or a file of this user in it, cannot be read. A folder that does not
    ///   exist holds nothing.
    public func storedFailures() throws -> [StoredFailure] {
        let directory = try ownDirectory()
        journal?.write()
        var failures: [(entry: JournalEntry, failure: JournalFailure)?] = []
        var indices: [String: Int] = [:]
        let forget = { (url: String) in
            if let index = indices.removeValue(forKey: url) { failures[index] = nil }
        }
        try fileSystem { () throws(FileSystemError) in
            try directory.forEachJournalFailure { entry, failure in
                forget(entry.url)
                indices[entry.url] = failures.count
                failures.append((entry, failure))
            }
            if indices.isEmpty { return }
            try directory.forEachJournalEntry { entry, _ in forget(entry.url) }
        }
        if indices.isEmpty { return [] }
        let files = try fileSystem { () throws(FileSystemError) in try directory.contentsOfAll() }
        let finished = Set(files.filter(\.isFinished).map(\.origin.text))
        var stored: [StoredFailure] = []
        try fileSystem { () throws(FileSystemError) in
            for case let (entry, failure)? in failures {
                guard let request = entry.request, try !isFinished(entry, request, in: finished) else { continue }
                stored.append(StoredFailure(request: request, error: failure.error.of(request.url)))
            }
        }
        return stored
    }

    /// The failed requests of partial files in the manager's folder, by their URLs, the latest last.
    func failedEntries(
        of partial: [StoredFile],
        in directory: DownloadDirectory
    ) throws(FileSystemError) -> [String: [JournalEntry]] {
        let urls = Set(partial.map(\.origin.text))
        var entries: [String: [JournalEntry]] = [:]
        if urls.isEmpty { return entries }
        try directory.forEachJournalFailure { entry, _ in
            if entry.folder == nil, urls.contains(entry.url) { entries[entry.url, default: []].append(entry) }
        }
        return entries
    }
}
