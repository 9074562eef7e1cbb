import Foundation
import HTTPSyntax
import Locking
import PartialFiles

extension DownloadManager {
    /// Enqueues what an earlier process left unfinished in the manager's folder, and returns those downloads.
    ///
    /// Without ``Configuration-swift.struct/keepsQueue`` that is what has a partial file. With it, what only waited comes
    /// back as well, with file name, folder, priority, sizes, checksum and mirrors: first partial files that no kept queue
    /// names, then the queues, the oldest first, each in its order. A queue may name a file that was finished when its
    /// process was killed: that download has finished at once. A request that is refused stays in its queue.
    ///
    /// What other processes and managers have in their queues, or have paused, waiting or due for a retry, is left to them
    /// as long as they live, so that nothing is downloaded twice. What this manager has already is returned as it is, also
    /// paused.
    ///
    /// A partial file beside a finished one of the same name is an update that did not come to its end: the finished one
    /// stays until the changed one is complete. Files that another process is downloading are left to it. If the folder
    /// cannot be read, nothing is restored.
    ///
    /// Headers, user and password are never stored. A restored download takes those of the first request for its URL that is
    /// otherwise equal; one that needs them before must be enqueued with them instead, or be given them in
    /// ``restore(_:)``.
    @discardableResult
    public func restore() -> [Download] { restore { _ in } }

    /// Restores as ``restore()`` does, and lets a closure change each request before it is enqueued: it may add what is
    /// never stored, such as headers.
    ///
    ///     manager.restore { $0.headers["Authorization"] = "Bearer \(token)" }
    ///
    /// The closure is called on this thread, before this method returns.
    @discardableResult
    public func restore(_ change: (inout DownloadRequest) -> Void) -> [Download] {
        guard let directory = try? ownDirectory() else { return [] }
        // What has ended here is nobody's.
        journal?.write()
        // Before journals are locked here.
        var others = OthersDownloads(inJournalsOf: directory)
        let left = journal == nil ? [] : directory.takeJournals()
        let files = (try? directory.contents()) ?? []
        let partial = files.filter { !$0.isFinished }
        others.add(partial, besides: ownership.owner, on: surroundings.platform)
        let begun = requests(of: partial.filter { !isOthers($0, others) }, beside: files, besides: left)
        let enqueueing = Enqueueing(manager: self, expecting: max(2, begun.count))
        var downloads: [Download] = []
        // Two queues may name the same URL.
        var known: Set<ObjectIdentifier> = []
        /// Returns whether the request can be met.
        func enqueue(_ request: DownloadRequest) -> Bool {
            var request = request
            change(&request)
            let download = enqueueing.enqueue(request, isRestored: true)
            if known.insert(download.id).inserted { downloads.append(download) }
            return download.valid != nil
        }
        for request in begun { _ = enqueue(request) }
        var replaced: [(LeftJournal, NumberSet)] = []
        for left in left {
            var taken = NumberSet()
            do throws(FileSystemError) {
                try left.forEachEntry { number, entry in
                    // What another does, or what cannot be met now, stays in the queue.
                    if !isOthers(entry, others), let request = entry.request, enqueue(request) {
                        _ = taken.insert(number)
                    }
                }
                replaced.append((left, taken))
            } catch {
                // What was read runs here.
                journal?.hold(left)
            }
        }
        enqueueing.finish()
        journal?.replace(replaced)
        return downloads
    }

    /// Whether a partial file is another process's or manager's.
    private func isOthers(_ file: StoredFile, _ others: OthersDownloads) -> Bool {
        file.isInUse || others.has(file.origin.text) && self[file.origin] == nil
    }

    /// Whether another process or manager does what a queue that was left asks for.
    private func isOthers(_ entry: JournalEntry, _ others: OthersDownloads) -> Bool {
        guard let url = try? HTTPURL(entry.url), self[url] == nil else { return false }
        if others.has(entry.url) { return true }
        guard let folder = entry.folder else { return false }
        let file = directories.directory(folder).partialFile(of: url, naming: entry.naming)
        return file.map { OthersDownloads.isOthers($0, besides: ownership.owner, on: surroundings.platform) } ?? false
    }

    /// The download of this URL that has not ended.
    private subscript(url: HTTPURL) -> Download? {
        let download = table.withLock { $0.download(url) }
        return download?.state.isTerminal == true ? nil : download
    }

    /// The requests of these partial files, without those that a kept queue names.
    private func requests(
        of partial: [StoredFile],
        beside files: [StoredFile],
        besides left: [LeftJournal]
    ) -> [DownloadRequest] {
        let finished = Set(files.filter(\.isFinished).map { [$0.origin.text, $0.finalName] })
        var begun = partial
        if !begun.isEmpty {
            let urls = Set(begun.map(\.origin.text))
            var queued: Set<String> = []
            for left in left {
                _ = try? left.forEachEntry { _, entry in
                    if urls.contains(entry.url) { queued.insert(entry.url) }
                }
            }
            begun.removeAll { queued.contains($0.origin.text) }
        }
        return begun.sorted { $0.finalName < $1.finalName }.compactMap { file in
            guard let url = URL(string: file.origin.text) else { return nil }
            var request = DownloadRequest(url)
            if case .explicit(let name) = file.naming { request.fileName = name.text }
            // A part of an update: the finished file beside it is not the answer.
            request.checksForUpdate = finished.contains([file.origin.text, file.finalName])
            return request
        }
    }

    /// What waits in the manager's folder, in the order in which it was enqueued: of the queues that were kept, by this
    /// process or another, those requests that have no partial file yet, and no finished one that answers them. For
    /// listings; ``restore()`` enqueues them.
    ///
    /// - Throws: ``DownloadError`` if the folder cannot be read. A folder that does not exist holds nothing.
    public func storedQueue() throws -> [DownloadRequest] {
        let directory = try ownDirectory()
        let files = try fileSystem { () throws(FileSystemError) in try directory.contents() }
        let begun = Set(files.filter { !$0.isFinished }.map(\.origin.text))
        let finished = Set(files.filter(\.isFinished).map(\.origin.text))
        var requests: [DownloadRequest] = []
        var known: Set<String> = []
        try fileSystem { () throws(FileSystemError) in
            try directory.forEachJournalEntry { entry, isOfOnlyJournal in
                guard !begun.contains(entry.url), entry.needsAttempt || !finished.contains(entry.url),
                    isOfOnlyJournal || known.insert(entry.url).inserted, let request = entry.request
                else { return }
                if request.directory == nil || entry.needsAttempt || !isDownloaded(request) { requests.append(request) }
            }
        }
        return requests
    }

    /// Why the queue is not kept: the first failure of the file that ``Configuration-swift.struct/keepsQueue`` writes, such as
    /// a full disk. `nil` as long as it is kept, again when all has been written later, and without that setting.
    ///
    /// The downloads run all the same.
    public var queueFailure: DownloadError? { journal?.failure.map { DownloadError(writing: $0) } }
}
