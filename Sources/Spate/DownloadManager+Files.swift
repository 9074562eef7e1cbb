public import Foundation
import HTTPResumption
import Locking
import PartialFiles

extension DownloadManager {
    /// Ends the download of this URL, if there is one, and removes its partial and its finished file from the
    /// manager's folder, or from the folder that its request named. That there is nothing to remove is no error.
    ///
    /// Only files are touched that Spate made for this URL; they say so themselves. The URL may be enqueued again at
    /// once.
    ///
    /// - Throws: ``DownloadError`` where the URL is none that can be downloaded, or a file could not be removed.
    public func delete(_ url: URL) throws {
        let key = try ValidRequest.url(url)
        let known = table.withLock { $0.download(key) }
        known?.endForDeletion()
        let valid = try known?.valid ?? ValidRequest(DownloadRequest(url), in: validConfiguration)
        try fileSystem { () throws(FileSystemError) in
            try directories.directory(valid.directory).delete(valid.url, naming: valid.naming)
        }
    }

    /// Ends all downloads and removes every partial and finished file that Spate made in the manager's folder, also
    /// those of earlier processes; of downloads that went elsewhere, those that are known now. Other files stay.
    ///
    /// - Throws: the first ``DownloadError``, after everything that could be removed has been.
    public func deleteAll() throws {
        var failure: (any Error)?
        let ownPath = try? validConfiguration.directory.get()
        for download in downloads.reversed() {
            // What goes to the manager's own folder is found by one search of it, below.
            if download.valid?.directory == ownPath {
                download.endForDeletion()
            } else {
                do { try delete(download.url) } catch { failure = failure ?? error }
            }
        }
        let directory = try ownDirectory()
        for file in try fileSystem({ () throws(FileSystemError) in try directory.contents() }) {
            do {
                try fileSystem { () throws(FileSystemError) in try directory.delete(file) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Enqueues what an earlier process left unfinished in the manager's folder, and returns those downloads.
    ///
    /// What another process works on at this moment is left to it. Headers and credentials are never stored, so a
    /// download that needs them has to be enqueued with them instead. A folder that cannot be read gives nothing.
    @discardableResult
    public func restore() -> [Download] {
        guard let directory = try? ownDirectory(), let files = try? directory.contents() else { return [] }
        return files.filter { $0.condition == .partial && !$0.isInUse }
            .sorted { $0.finalName < $1.finalName }
            .compactMap { file in
                guard let url = URL(string: file.origin.text) else { return nil }
                var request = DownloadRequest(url)
                if case .explicit(let name) = file.naming { request.fileName = name.text }
                return download(request)
            }
    }

    /// What the manager's folder holds of downloads, finished and partial, by name.
    ///
    /// - Throws: ``DownloadError`` where the folder cannot be read; one that is not there holds nothing.
    public func storedDownloads() throws -> [StoredDownload] {
        let directory = try ownDirectory()
        let files = try fileSystem { () throws(FileSystemError) in try directory.contents() }
        return files.sorted { $0.finalName < $1.finalName }.compactMap { file in
            guard let url = URL(string: file.origin.text) else { return nil }
            return StoredDownload(
                url: url,
                file: URL(fileURLWithPath: "\(directory.path)/\(file.finalName)", isDirectory: false),
                receivedBytes: file.size,
                totalBytes: file.total,
                isFinished: file.isFinished,
                isInUse: file.isInUse
            )
        }
    }

    /// Whether the file of this URL is whole on disk, in the manager's folder or the one its download names. Looks at the
    /// disk; what cannot be read is not whole.
    public func isDownloaded(_ url: URL) -> Bool {
        guard let valid = try? validRequest(for: url) else { return false }
        let directory = directories.directory(valid.directory)
        return (try? directory.finishedFile(of: valid.url, naming: valid.naming)) ?? nil != nil
    }

    /// Where the file of this URL is, or will be as things stand now. Looks at the disk.
    ///
    /// A URL that cannot be downloaded has no file; the answer is then a name in the manager's folder.
    public func fileURL(for url: URL) -> URL {
        guard let valid = try? validRequest(for: url) else {
            return configuration.directory.appendingPathComponent(url.lastPathComponent, isDirectory: false)
        }
        let path = try? directories.directory(valid.directory).location(of: valid.url, naming: valid.naming) {
            name in
            table.withLock { $0.isTaken(name, in: valid.directory, from: valid.url) }
        }
        return path.map { URL(fileURLWithPath: $0, isDirectory: false) }
            ?? configuration.directory.appendingPathComponent(url.lastPathComponent, isDirectory: false)
    }

    // MARK: Within

    private func validRequest(for url: URL) throws(DownloadError) -> ValidRequest {
        if let known = self[url]?.valid { return known }
        return try ValidRequest(DownloadRequest(url), in: validConfiguration)
    }

    private func ownDirectory() throws(DownloadError) -> DownloadDirectory {
        directories.directory(try validConfiguration.directory.get())
    }

    private func fileSystem<Result>(_ body: () throws(FileSystemError) -> Result) throws(DownloadError) -> Result {
        do throws(FileSystemError) {
            return try body()
        } catch {
            throw DownloadError(writing: error)
        }
    }
}
