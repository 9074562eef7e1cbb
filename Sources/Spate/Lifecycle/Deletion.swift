import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals

/// Deletes the downloads and files of some URLs, of one request, or of the manager's whole folder.
///
/// First the downloads stop, then the queues forget them, then the files go, so a process that is killed in between
/// restores nothing deleted. If a step fails, as on a full disk, the others still run.
struct Deletion {
    struct Failure {
        /// `nil` if it concerns the whole deletion.
        let url: HTTPURL?
        let error: DownloadError
    }

    /// `nil` if it has gone. Then nobody is downloading the file any more.
    private let manager: DownloadManager?
    private let platform: Platform
    /// In the order in which to stop them.
    private var downloads: [Download] = []
    /// The files to look for by name.
    private var files: [FileClaim] = []
    /// The URLs to look for in the manager's folder under any name, and in the abandoned queues there.
    private var urls: Set<HTTPURL> = []
    /// Whether to delete all files in the manager's folder, and all abandoned queues there.
    private var isOfWholeFolder = false
    /// In order of occurrence.
    private(set) var failures: [Failure] = []

    /// An empty deletion.
    init(in manager: DownloadManager) {
        (self.manager, platform) = (manager, manager.surroundings.platform)
    }

    /// A deletion of this download, of the file of its request, and of other downloads that fetch that file.
    init(of download: Download, _ request: ValidRequest) {
        manager = download.manager
        platform = download.core.withLock { $0.surroundings.platform }
        downloads = [download]
        add(request)
    }

    // MARK: Targets

    /// Adds the file of this request, and the downloads that fetch it.
    mutating func add(_ request: ValidRequest) {
        files.append(request.claim)
        let known =
            manager?.table.withLock { table in
                Self.downloads(of: request.url, in: table).filter { table.fetches($0, fileOf: request.claim) }
            } ?? []
        downloads += known.filter { $0 !== downloads.first }
    }

    /// Adds the files of this URL, in any known place, and its downloads.
    ///
    /// - Returns: the URL's key for comparisons.
    /// - Throws: a `DownloadError` if the URL cannot be downloaded.
    mutating func add(_ url: URL) throws(DownloadError) -> HTTPURL {
        let key = try ValidRequest.url(url)
        guard let manager, !urls.contains(key) else { return key }
        let claims = manager.claims(of: key)
        // The error of `ValidRequest` explains why there is none.
        if claims.isEmpty { _ = try ValidRequest(DownloadRequest(url), in: manager.validConfiguration) }
        urls.insert(key)
        files += claims
        downloads += manager.table.withLock { Self.downloads(of: key, in: $0) }
        return key
    }

    /// Adds all files in the manager's folder, all downloads, and the files of downloads with other folders.
    mutating func addAll() {
        guard let manager else { return }
        isOfWholeFolder = true
        let own = try? manager.validConfiguration.directory.get()
        // Attempts that have not ended may belong to downloads that have.
        let ended = manager.table.withLock { $0.holders }.map(\.download).filter(\.hasEnded)
        for download in manager.downloads.reversed() + ended {
            guard let valid = download.valid else { continue }
            let isElsewhere = own.map { valid.claim.chosenFolder(besides: $0) != nil } ?? true
            if isElsewhere, download.hasEnded { continue }
            downloads.append(download)
            if isElsewhere { files.append(valid.claim) }
        }
    }

    /// The known download, and the download of an attempt that has not ended: another one after a recent cancellation.
    private static func downloads(of url: HTTPURL, in table: DownloadTable) -> [Download] {
        let (known, holder) = (table.download(url), table.holder(of: url)?.download)
        return [known, holder === known ? nil : holder].compactMap(\.self)
    }

    // MARK: Steps

    /// Deletes everything that was added.
    ///
    /// - Throws: the first `DownloadError`, after removing everything that can be removed.
    mutating func run() throws(DownloadError) {
        stop()
        forget()
        remove()
        if let first = failures.first { throw first.error }
    }

    /// Ends the downloads so that nothing of them stays, whatever their attempts are doing.
    private func stop() {
        for download in downloads {
            download.perform { core in
                core.isDeleted = true
                return core.handle(.delete)
            }
            let holder = manager?.table.withLock { $0.holder(of: download) }
            if let holder, holder.download === download { holder.partialFile?.forgoName() }
        }
    }

    /// Removes them and their failures from the manager's own queue, and from abandoned ones.
    private mutating func forget() {
        guard let manager else { return }
        // If the folder is no path, `remove` says so.
        let own = try? manager.ownDirectory()
        if isOfWholeFolder {
            attempt { () throws(FileSystemError) in try manager.journal?.endFailures { _ in true } }
            manager.journal?.removeIfDone()
            attempt { () throws(FileSystemError) in try manager.journal?.removeHeld() }
            attempt { () throws(FileSystemError) in for left in try own?.takeJournals() ?? [] { try left.remove() } }
            return
        }
        if let journal = manager.journal {
            let isOver = ownFailures(in: journal.directory.path)
            attempt { () throws(FileSystemError) in try journal.endFailures(where: isOver) }
            journal.write()
        }
        let urls = urls
        if !urls.isEmpty { attempt { () throws(FileSystemError) in try own?.endJournalEntries(of: urls) } }
    }

    /// Whether a failure of the manager concerns a deleted file.
    private func ownFailures(in ownFolder: FilePath) -> (JournalEntry) -> Bool {
        let (texts, files) = (Set(urls.map(\.text)), files)
        return { entry in
            if texts.contains(entry.url) { return true }
            return files.contains {
                $0.origin.text == entry.url && entry.claim(ownFolder: ownFolder).map($0.overlaps) ?? false
            }
        }
    }

    private mutating func remove() {
        for claim in files {
            do throws(FileSystemError) {
                try directory(claim).delete(claim, writing: writing)
            } catch {
                note(error, of: claim.origin)
            }
        }
        guard let manager, isOfWholeFolder || !urls.isEmpty else { return }
        let own: DownloadDirectory
        do throws(DownloadError) {
            own = try manager.ownDirectory()
        } catch {
            // The files of a URL may all be in other folders.
            if isOfWholeFolder { failures.append(Failure(url: nil, error: error)) }
            return
        }
        guard isOfWholeFolder else {
            remove(urls, in: own)
            for url in urls {
                do throws(FileSystemError) {
                    for folder in try manager.placedFolders(of: url) { remove([url], in: folder) }
                } catch {
                    note(error, of: url)
                }
            }
            return
        }
        let writing = writing
        attempt { () throws(FileSystemError) in try own.deleteContents(writing: writing) }
        attempt { () throws(FileSystemError) in
            try own.forEachPlaced { (placed) throws(FileSystemError) in try placed.deleteContents(writing: writing) }
        }
    }

    /// Removes the files of these URLs in a folder, under any name.
    private mutating func remove(_ urls: Set<HTTPURL>, in directory: DownloadDirectory) {
        do throws(FileSystemError) {
            for (url, error) in try directory.deleteAll(of: urls, writing: writing) { note(error, of: url) }
        } catch {
            note(error, of: nil)
        }
    }

    private func directory(_ claim: FileClaim) -> DownloadDirectory {
        manager?.directories.directory(claim) ?? DownloadDirectory(path: claim.folder, platform: platform)
    }

    /// The partial file that an attempt of this manager has open for a URL.
    private func writing(_ url: HTTPURL) -> PartialFile? {
        manager?.table.withLock { $0.holder(of: url) }?.partialFile
    }

    private mutating func attempt(_ step: () throws(FileSystemError) -> Void) {
        do throws(FileSystemError) {
            try step()
        } catch {
            note(error, of: nil)
        }
    }

    private mutating func note(_ error: FileSystemError, of url: HTTPURL?) {
        failures.append(Failure(url: url, error: DownloadError(error)))
    }
}

extension Download {
    /// Ends the download, and removes its partial and its finished file, even after the end.
    ///
    /// Removes only files that Spate made; it is no error if there are none. Cancels a later download that fetches the
    /// same file. A download whose request was refused has no files, and nothing is removed.
    ///
    /// - Throws: a ``DownloadError`` if a file could not be removed, with the code ``DownloadError/Code/inUse`` if
    ///   another process or manager is downloading it, and ``DownloadError/Code/fileChanged`` if it was changed since it
    ///   was finished.
    public func delete() throws {
        guard let valid else { return }
        var deletion = Deletion(of: self, valid)
        try deletion.run()
    }
}
