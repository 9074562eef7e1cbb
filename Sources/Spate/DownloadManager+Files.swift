public import Foundation
import HTTPResumption
import Locking
import PartialFiles

extension DownloadManager {
    /// Cancels the download of this URL, if there is one, and removes its partial and its finished file.
    ///
    /// It looks in the folder that the download's request named, or else in the manager's. Only files that Spate made for
    /// this URL are removed; it is no error if there are none. The URL may be enqueued again at once.
    ///
    /// - Throws: ``DownloadError`` if the URL cannot be downloaded, or a file could not be removed.
    public func delete(_ url: URL) throws {
        let key = try ValidRequest.url(url)
        let known = table.withLock { $0.download(key) }
        known?.endForDeletion()
        let valid = try known?.valid ?? ValidRequest(DownloadRequest(url), in: validConfiguration)
        try fileSystem { () throws(FileSystemError) in
            try directories.directory(valid.directory).delete(valid.url, naming: valid.naming)
        }
    }

    /// Cancels all downloads, and removes every partial and finished file that Spate made in the manager's folder, also in
    /// earlier processes. In other folders it removes the files of the downloads that are known now. Other files stay.
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
    /// Files that another process is downloading are left to it. Headers and credentials are never stored, so a download
    /// that needs them must be enqueued with them instead. If the folder cannot be read, nothing is restored.
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

    /// The finished and partial files in the manager's folder, sorted by name.
    ///
    /// - Throws: ``DownloadError`` if the folder cannot be read. A folder that does not exist holds nothing.
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

    /// Whether the complete file of this URL is on disk, in the manager's folder or the one that its download named. Reads
    /// the folder; a file that cannot be read counts as missing.
    public func isDownloaded(_ url: URL) -> Bool {
        guard let valid = try? validRequest(for: url) else { return false }
        let directory = directories.directory(valid.directory)
        return (try? directory.finishedFile(of: valid.url, naming: valid.naming)) ?? nil != nil
    }

    /// Where the file of this URL is, or would be if it were downloaded now. Reads the folder.
    ///
    /// For a URL that cannot be downloaded the result is a name in the manager's folder.
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
