import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateQueueJournals

/// How a request becomes a known download: after validation, it joins the running download or is refused because it
/// differs, is answered from the disk, or waits for a slot.
struct Enqueueing {
    private let manager: DownloadManager
    /// The names in the manager's folder, read once if many requests follow.
    private let listing: (folder: FilePath, names: FolderListing)?
    /// Whether `finish()` follows.
    private let isOfMany: Bool

    /// From this number of requests on, one listing is cheaper than a lookup for each.
    private static let many = 32

    /// - Parameter count: about how many requests follow. After more than one, call `finish()`.
    init(manager: DownloadManager, expecting count: Int = 1) {
        self.manager = manager
        isOfMany = count > 1
        listing =
            if count >= Self.many, let path = try? manager.validConfiguration.directory.get() {
                manager.directories.directory(path).listing(atMost: count.saturatingTimes(4)).map { (path, $0) }
            } else { nil }
    }

    /// All requests have been enqueued.
    func finish() {
        manager.journal?.write()
    }

    /// - Parameters:
    ///   - isRestored: whether the request was found on disk. It joins any download of its URL without resuming it.
    ///   - isOneOfMany: whether others follow at once, and then a write of the journal.
    func enqueue(
        _ request: DownloadRequest,
        isRestored: Bool = false,
        isOneOfMany: Bool = false,
        observer: QueueObserver? = nil
    ) -> Download {
        let valid: ValidRequest
        do throws(DownloadError) {
            valid = try ValidRequest(request, in: manager.validConfiguration)
        } catch {
            return failed(request, error, observer)
        }
        let (manager, isNew) = (manager, isNew(valid))
        while true {
            let (download, isEntered) = manager.table.withLock { table in
                // With its observer from the start: from here on, others may end it.
                table.enter(valid) { serial, index in
                    Download(
                        request,
                        valid,
                        serial: serial,
                        index: index,
                        manager: manager,
                        observer: observer,
                        isRestored: isRestored,
                        isNew: isNew
                    )
                }
            }
            if isEntered {
                begin(download, valid, isOneOfMany: isOfMany || isOneOfMany)
                return download
            }
            let joining =
                isRestored ? download.join(observer, resumes: false) : download.join(request, valid, observer)
            switch joining {
            case .joined: return download
            case .refused(let differences):
                if differences.areAboutUpdateAlone, let answer = answer(request, valid, observer) { return answer }
                return failed(request, .conflict(differences), observer)
            // It ended between the two steps. The next turn makes another.
            case .ended: manager.table.withLock { $0.remove(download) }
            }
        }
    }

    /// A download outside the table that has finished, because its file is there: whoever wants just that need not wait
    /// until another has asked the server about it.
    private func answer(
        _ request: DownloadRequest,
        _ valid: ValidRequest,
        _ observer: (any DownloadObserver)?
    ) -> Download? {
        guard let file = keptFile(of: valid, for: request, isNew: false) else { return nil }
        let serial = manager.table.withLock { $0.nextSerial() }
        let download = Download(request, valid, serial: serial, manager: manager, observer: observer)
        download.endAtOnce(with: file)
        return download
    }

    /// A failed download outside the table.
    private func failed(
        _ request: DownloadRequest,
        _ error: DownloadError,
        _ observer: (any DownloadObserver)?
    ) -> Download {
        let serial = manager.table.withLock { $0.nextSerial() }
        let download = Download(request, nil, serial: serial, manager: manager, observer: observer)
        download.handle(.endAtOnce(.failed(error.of(request.url))))
        return download
    }

    /// Whether the folder had no file of the request. A file system that ignores case may have had one.
    private func isNew(_ valid: ValidRequest) -> Bool {
        let known = listing?.folder == valid.claim.folder ? listing?.names : nil
        return manager.directories.directory(valid.claim).isNew(valid.claim, in: known)
    }

    private func begin(_ download: Download, _ request: ValidRequest, isOneOfMany: Bool) {
        if download.enqueuedRequest.asksOnly { return download.handle(.begin) }
        // A file that must be read, checked with the server or replaced needs a slot.
        if let file = keptFile(of: request, for: download.enqueuedRequest, isNew: download.isNew) {
            let directory = manager.directories.directory(request.claim)
            directory.deleteUselessParts(beside: file, of: manager.ownership.owner)
            download.endAtOnce(with: file)
        } else {
            if let journal = manager.journal {
                journal.add(download.serial, request.url.text, isOneOfMany: isOneOfMany) {
                    $0.fields(of: (download.enqueuedRequest, request, journal.directory.path))
                }
                // Somebody may have ended it before it was added.
                if download.hasEnded { journal.end(download.serial) }
            }
            if !download.isNew, let file = partialFile(of: request) {
                download.found(file.size, of: file.total)
                download.claimFile(for: manager.ownership) { owner in
                    manager.directories.directory(request.claim).claim(file, for: owner)
                }
            }
            download.handle(.begin)
        }
    }

    /// The file that ends the download at once, with a name that survives a power cut. If the disk fails, or the name
    /// cannot be synced, an attempt reports that.
    private func keptFile(of valid: ValidRequest, for request: DownloadRequest, isNew: Bool) -> StoredFile? {
        if isNew, !request.skipsExistingFile { return nil }
        let (directory, wanted) = (manager.directories.directory(valid.claim), WantedFile(request))
        guard let file = (try? directory.presentFile(valid.claim, for: wanted)) ?? nil else { return nil }
        if file.isFinished { directory.removeLeftoverSidecars(beside: file) }
        guard wanted.verdict(on: file) == .answer, (try? directory.keepName(of: file)) ?? false else { return nil }
        return file
    }

    /// The partial file that the download continues; `nil` if somebody is writing it, or if it is unknown: the attempt
    /// finds out.
    private func partialFile(of valid: ValidRequest) -> StoredFile? {
        let file = (try? manager.directories.directory(valid.claim).partialFile(valid.claim)) ?? nil
        return file?.isInUse == false ? file : nil
    }
}
