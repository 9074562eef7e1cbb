import Foundation
import SpateFilePaths
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
    /// when the file turns out to be complete, also from another URL if its request chose the name. Of several failures
    /// for one URL the last in this order is returned.
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
        let complete = files.filter(\.isFinished)
        let finished = Set(complete.map(\.origin.text))
        let urls = Dictionary(complete.map { ($0.path, $0.origin.text) }) { first, _ in first }
        var stored: [StoredFailure] = []
        try fileSystem { () throws(FileSystemError) in
            for case let (entry, failure)? in failures {
                if Self.isFilled(entry, failure, ownFolder: directory.path, urls) { continue }
                guard let request = entry.request, try !isFinished(entry, request, in: finished) else { continue }
                stored.append(StoredFailure(request: request, error: failure.error.of(request.url)))
            }
        }
        return stored
    }

    /// Forgets the failed downloads in the manager's folder: those of this manager, and those that earlier processes left.
    /// Their partial files stay, and so does what waits. The failures of other living processes and managers stay, too.
    ///
    /// - Throws: ``DownloadError`` if a queue in the folder cannot be read or written. The failures in the others are
    ///   forgotten.
    public func forgetFailures() throws {
        let directory = try ownDirectory()
        var failure: FileSystemError?
        do throws(FileSystemError) {
            try journal?.endFailures { _ in true }
        } catch {
            failure = error
        }
        journal?.removeIfDone()
        try fileSystem { () throws(FileSystemError) in
            for left in try directory.takeJournals(onlyToLook: true) {
                do throws(FileSystemError) {
                    try left.end(where: { _ in false }, failuresWhere: { _ in true })
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }

    /// Whether another URL's file has the name that a failed request chose: its list was mended. Names that URLs have of
    /// themselves say nothing, since two such URLs get two files.
    ///
    /// - Parameter urls: the URLs of the finished files, by their paths.
    private static func isFilled(
        _ entry: JournalEntry,
        _ failure: JournalFailure,
        ownFolder: FilePath,
        _ urls: [FilePath: String]
    ) -> Bool {
        guard let claim = entry.claim(ownFolder: ownFolder), claim.naming.isExplicit, let url = urls[claim.path] else {
            return false
        }
        // If that is why it failed, nothing was mended.
        return url != entry.url && failure.error.code != .fileExists
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
