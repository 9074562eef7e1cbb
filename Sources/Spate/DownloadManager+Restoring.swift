import Foundation
import HTTPResumption
import PartialFiles

extension DownloadManager {
    /// Enqueues what an earlier process left unfinished in the manager's folder, and returns those downloads.
    ///
    /// Without ``Configuration-swift.struct/keepsQueue`` that is what has a partial file. With it, what only waited comes
    /// back as well, with file name, folder, priority, sizes, checksum and mirrors: first partial files that no kept queue
    /// names, then the queues, the oldest first, each in its order. Those of processes and managers that still run are
    /// left to them, so that nothing is downloaded twice. A queue may name a file that was finished when its process was
    /// killed: that download has finished at once.
    ///
    /// A partial file beside a finished one of the same name is an update that did not come to its end: the finished one
    /// stays until the changed one is complete. Files that another process is downloading are left to it. If the folder cannot be read, nothing is restored.
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
    public func restore(_ change: (inout DownloadRequest) throws -> Void) rethrows -> [Download] {
        guard let directory = try? ownDirectory() else { return [] }
        let left = journal == nil ? [] : directory.takeJournals()
        let queued = left.flatMap(\.entries)
        let queuedURLs = Set(queued.map(\.url))
        let files = (try? directory.contents()) ?? []
        let finished = Set(files.filter(\.isFinished).map { [$0.origin.text, $0.finalName] })
        let begun = files.filter { file in
            !file.isFinished && !file.isInUse && !queuedURLs.contains(file.origin.text)
        }
        var requests = begun.sorted { $0.finalName < $1.finalName }.compactMap { file -> DownloadRequest? in
            guard let url = URL(string: file.origin.text) else { return nil }
            var request = DownloadRequest(url)
            if case .explicit(let name) = file.naming { request.fileName = name.text }
            // A part of an update: the finished file beside it is not the answer.
            request.checksForUpdate = finished.contains([file.origin.text, file.finalName])
            return request
        }
        requests += queued.compactMap(\.request)
        for index in requests.indices { try change(&requests[index]) }
        let enqueueing = Enqueueing(manager: self, expecting: requests.count)
        // Two queues may name the same URL.
        var known: Set<ObjectIdentifier> = []
        let downloads = requests.map { enqueueing.enqueue($0, isRestored: true) }.filter {
            known.insert($0.id).inserted
        }
        enqueueing.finish()
        journal?.replace(left)
        return downloads
    }

    /// What waits in the manager's folder, in the order in which it was enqueued: of the queues that were kept, by this
    /// process or another, those requests that have no file yet. For listings; ``restore()`` enqueues them.
    ///
    /// - Throws: ``DownloadError`` if the folder cannot be read. A folder that does not exist holds nothing.
    public func storedQueue() throws -> [DownloadRequest] {
        let directory = try ownDirectory()
        let (entries, files) = try fileSystem { () throws(FileSystemError) in
            (try directory.journalEntries(), try directory.contents())
        }
        let begun = Set(files.map(\.origin.text))
        var known: Set<String> = []
        return entries.filter { !begun.contains($0.url) && known.insert($0.url).inserted }.compactMap(\.request)
            .filter { $0.directory == nil || !isDownloaded($0) }
    }

    /// Why the queue is not kept: the first failure of the file that ``Configuration-swift.struct/keepsQueue`` writes, such as
    /// a full disk. `nil` as long as it is kept, and without that setting.
    ///
    /// The downloads run all the same.
    public var queueFailure: DownloadError? { journal?.failure.map { DownloadError(writing: $0) } }
}
