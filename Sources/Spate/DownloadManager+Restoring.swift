import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals

extension DownloadManager {
    /// Enqueues the unfinished downloads of earlier processes in the manager's folder, and returns them.
    ///
    /// Without ``Configuration-swift.struct/keepsQueue``, restores partial files. With it, restores waiting downloads
    /// as well, with file name, folder, priority, sizes, checksum and mirrors: first partial files that no kept queue
    /// names, then the queues, the oldest first, each in its order. A queue may name a file that was finished when its
    /// process was killed: that download has finished at once. A refused request stays in its queue, and so does one
    /// that differs in file name, folder, checksum or sizes from a download of its URL, until that has ended. A failed
    /// download is only restored if it left a partial file; for others see ``storedFailures()``.
    ///
    /// Downloads in the queues of other living processes and managers, or paused, waiting or due for a retry there, are
    /// left to them, so that nothing is downloaded twice. A download of this manager that has left a partial file is
    /// returned as it is, whether it runs, waits or is paused.
    ///
    /// A partial file beside a finished one of the same name is an unfinished update: the finished file stays until the
    /// new one is complete. Files that another process is downloading are left to it. If the folder or a queue in it
    /// cannot be read, as without free descriptors, nothing is restored, and a later call may restore all: see
    /// ``restoreFailure``. Files that this process has no permission to read are left alone.
    ///
    /// Headers, user and password are never stored. A restored download takes them from the first request for its URL
    /// that is otherwise equal. If it needs them earlier, enqueue it with them instead, or add them in ``restore(_:)``.
    @discardableResult
    public func restore() -> [Download] { restore { _ in } }

    /// Like ``restore()``, but lets a closure change each request before it is enqueued, to add what is never stored,
    /// such as headers.
    ///
    ///     manager.restore { $0.headers["Authorization"] = "Bearer \(token)" }
    ///
    /// The closure is called on this thread, before this method returns.
    @discardableResult
    public func restore(_ change: (inout DownloadRequest) -> Void) -> [Download] {
        let (left, others, begun): ([LeftJournal], OthersDownloads, [DownloadRequest])
        do throws(DownloadError) {
            (left, others, begun) = try unfinished(in: ownDirectory())
            lastRestoreFailure.withLock { $0 = nil }
        } catch {
            lastRestoreFailure.withLock { $0 = error }
            return []
        }
        let enqueueing = Enqueueing(manager: self, expecting: max(2, begun.count))
        var downloads: [Download] = []
        // Two queues may name the same URL.
        var known: Set<ObjectIdentifier> = []
        /// Returns whether the download fetches the file of the request: it is valid, and no other file of its URL is
        /// being fetched.
        func enqueue(_ request: DownloadRequest) -> Bool {
            var request = request
            change(&request)
            let download = enqueueing.enqueue(request, isRestored: true)
            if known.insert(download.id).inserted { downloads.append(download) }
            return download.fetchesFile(of: request, in: validConfiguration)
        }
        for request in begun { _ = enqueue(request) }
        var replaced: [(LeftJournal, NumberSet)] = []
        for left in left {
            var taken = NumberSet()
            do throws(FileSystemError) {
                try left.forEachEntry { number, entry in
                    // Another manager's downloads, invalid requests and other files of a URL stay in the queue.
                    if !isOthers(entry, others), let request = entry.request, enqueue(request) {
                        _ = taken.insert(number)
                    }
                }
                replaced.append((left, taken))
            } catch {
                // The entries run here now.
                journal?.hold(left)
            }
        }
        enqueueing.finish()
        journal?.replace(replaced)
        return downloads
    }

    /// Why the latest ``restore()`` has restored nothing: the folder, or a queue in it, could not be read. `nil` if it
    /// succeeded, and before the first.
    public var restoreFailure: DownloadError? { lastRestoreFailure.withLock { $0 } }

    /// The queues that other runs left, the downloads of others, and the requests for partial files without either.
    private func unfinished(
        in directory: DownloadDirectory
    ) throws(DownloadError) -> (left: [LeftJournal], others: OthersDownloads, begun: [DownloadRequest]) {
        // Record the ends of this manager's downloads first.
        journal?.write()
        return try fileSystem { () throws(FileSystemError) in
            // Before this manager locks journals.
            var others = try OthersDownloads(inJournalsOf: directory)
            let left = journal == nil ? [] : try directory.takeJournals()
            let files = try directory.contentsOfAll(skippingForbidden: true)
            let partial = files.filter(\.isPartial)
            others.add(partial, besides: ownership.owner, on: surroundings.platform)
            let failed = journal == nil ? [:] : try failedEntries(of: partial, in: directory)
            let own = partial.filter { !isOthers($0, others) }
            return (left, others, try requests(of: own, failed, beside: files, besides: left))
        }
    }

    /// Whether a partial file belongs to another process or manager.
    private func isOthers(_ file: StoredFile, _ others: OthersDownloads) -> Bool {
        self[file.origin] == nil && others.has(file.origin.text)
    }

    /// Whether another process or manager runs the download of an abandoned queue's entry.
    private func isOthers(_ entry: JournalEntry, _ others: OthersDownloads) -> Bool {
        guard let url = try? HTTPURL(entry.url), self[url] == nil else { return false }
        if others.has(entry.url) { return true }
        guard entry.folder != nil || entry.cutURLFolders != nil, let own = try? validConfiguration.directory.get()
        else {
            return false
        }
        guard let claim = entry.claim(ownFolder: own) else { return false }
        do throws(FileSystemError) {
            let file = try directories.directory(claim).partialFile(claim)
            return file.map { OthersDownloads.isOthers($0, besides: ownership.owner, on: surroundings.platform) }
                ?? false
        } catch {
            // It may be, so it stays in the queue.
            return true
        }
    }

    /// The unfinished download of this URL.
    private subscript(url: HTTPURL) -> Download? {
        let download = table.withLock { $0.download(url) }
        return download?.hasEnded == true ? nil : download
    }

    /// The requests for these partial files, except files that a kept queue names.
    ///
    /// - Parameter failed: the kept requests of failed downloads, by URL.
    private func requests(
        of partial: [StoredFile],
        _ failed: [String: [JournalEntry]],
        beside files: [StoredFile],
        besides left: [LeftJournal]
    ) throws(FileSystemError) -> [DownloadRequest] {
        let updated = UpdatedFiles(files)
        let own = try? validConfiguration.directory.get()
        var begun = partial
        if !begun.isEmpty {
            let urls = Set(begun.map(\.origin.text))
            var queued: Set<String> = []
            for left in left {
                try left.forEachEntry { _, entry in
                    if urls.contains(entry.url) { queued.insert(entry.url) }
                }
            }
            begun.removeAll { queued.contains($0.origin.text) }
        }
        return begun.sorted { ($0.folder, $0.finalName) < ($1.folder, $1.finalName) }.compactMap { file in
            // A part of an update: the finished file beside it does not end the download. Or it takes the place of a changed
            // one.
            let former = updated.file(of: file)
            let (isUpdate, replaces) = (former?.isFinished ?? false, former?.isChanged ?? false && file.isReplacing)
            if let own,
                let entry = failed[file.origin.text]?.last(where: {
                    $0.claim(ownFolder: own)?.overlaps(file.claim) ?? false
                }), var request = entry.request
            {
                if isUpdate { request.checksForUpdate = true }
                if replaces { request.replacesExistingFile = true }
                return request
            }
            guard let url = URL(string: file.origin.text) else { return nil }
            let folder = file.folder == own ? nil : URL(fileURLWithPath: file.folder.text, isDirectory: true)
            var request = DownloadRequest(url, file.claim.naming, in: folder)
            if file.claim.naming == .derived, former?.hasStatedName ?? false { request.naming = .server }
            (request.checksForUpdate, request.replacesExistingFile) = (isUpdate, replaces)
            request.isChosenByDocument = file.isOfDocument
            return request
        }
    }

    /// The waiting requests in the manager's folder, in the order of enqueueing: the requests in the kept queues, of
    /// this process or another, that have no partial file there yet and no finished file that satisfies them. For
    /// listings; ``restore()`` enqueues them. A download of another manager or process may be among them for up to a
    /// second after its end.
    ///
    /// - Throws: ``DownloadError`` if the folder, or a file of this user in it, cannot be read. A folder that does not
    ///   exist holds nothing.
    public func storedQueue() throws -> [DownloadRequest] {
        let directory = try ownDirectory()
        // The ends of this manager's downloads first.
        journal?.write()
        // Reading all files takes long if they are many.
        guard try fileSystem({ () throws(FileSystemError) in try directory.hasJournals() }) else { return [] }
        let files = try fileSystem { () throws(FileSystemError) in try directory.contentsOfAll() }
        let begun = Dictionary(grouping: files.filter(\.isPartial), by: \.origin.text)
        let finished = Set(files.filter(\.isFinished).map(\.origin.text))
        var requests: [DownloadRequest] = []
        var known: Set<Int> = []
        try fileSystem { () throws(FileSystemError) in
            var failure: FileSystemError?
            try directory.forEachJournalEntry { entry, isOfOnlyJournal in
                if let parts = begun[entry.url], let claim = entry.claim(ownFolder: directory.path),
                    parts.contains(where: { $0.claim.overlaps(claim) })
                {
                    return
                }
                guard isOfOnlyJournal || known.insert(entry.hash(ownFolder: directory.path)).inserted,
                    let request = entry.request
                else { return }
                do throws(FileSystemError) {
                    if try !isFinished(entry, request, in: finished) { requests.append(request) }
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
        return requests
    }

    /// Whether a finished file satisfies this request, so that no attempt need look at it.
    ///
    /// - Parameter finished: the URLs of the finished files in the manager's folder.
    func isFinished(
        _ entry: JournalEntry,
        _ request: DownloadRequest,
        in finished: Set<String>
    ) throws(FileSystemError) -> Bool {
        guard entry.folder != nil || finished.contains(entry.url) else { return false }
        return try hasFile(of: request, for: WantedFile(request))
    }

    /// Why the queue is not kept: the first failure of the file for ``Configuration-swift.struct/keepsQueue``, such as
    /// a full disk. `nil` as long as it is kept, again after everything was written later, and without that setting.
    ///
    /// The downloads still run.
    public var queueFailure: DownloadError? { journal?.failure.map { DownloadError($0) } }
}
