import Dispatch
import Foundation
import HTTPResumption
import HTTPTransport
import Locking
import PartialFiles
import Timing

/// One attempt at a download: opens the file, fetches what is missing, syncs it, and gives it its final name.
///
/// It begins on the queue's thread and goes on, step after step, on the transport's. What may wait for the disk is done on
/// a serial queue of its own, in order: a file that is being synced is published, or closed, after that. Only ``cancel()``
/// comes at any time.
final class Attempt: Sendable {
    let number: Int
    let download: Download
    let request: ValidRequest
    let manager: DownloadManager
    /// The mirror that is asked; `nil` for the URL that was enqueued.
    let mirror: HTTPURL?
    /// Whether the mirror begins anew, in a second partial file: the origin's part stays.
    let beginsAnew: Bool
    let operation: DownloadOperation
    let rate: RateShare?
    /// Whether it asks its host although that has asked to wait.
    let isUrgent: Bool
    let began: ContinuousClock.Instant
    let control = Locked(Control())

    struct Control {
        /// Whether it was cancelled, or a sync failed: no more requests are sent.
        var isStopping = false
        var requests: FetchRequest?
        /// How the file is fetched, once it is.
        var fetch: FetchMachine?
        var processors = ProcessorTime()
        /// Of the host that redirects have led the first connection to.
        var redirectLease: HostLease?
        var file: PartialFile?
        /// The finished file of an update, which stays until the changed one is whole.
        var finished: StoredFile?
        /// Whether the server is asked if that file has changed. If not, it is fetched in any case.
        var asksForChange = false
        /// Whether a finished file is replaced.
        var replaces = false
        /// The program's call that prepares the request, until it has ended.
        var preparation: Preparation?
        /// Why a sync failed, or the mark after it could not be written: the attempt ends with that.
        var syncFailure: FileSystemError?
        /// Made when it is needed first: an attempt that never waits for a disk has none.
        var disk: SerialQueue?
    }

    /// - Parameter operation: finished when everything has been reported and the file is closed.
    init(
        _ number: Int,
        at download: Download,
        _ request: ValidRequest,
        of manager: DownloadManager,
        operation: DownloadOperation
    ) {
        self.number = number
        self.download = download
        self.request = request
        self.manager = manager
        began = manager.surroundings.runtime.now
        (mirror, beginsAnew) = download.source
        rate = download.rateShare
        isUrgent = download.isUrgent
        self.operation = operation
    }

    func begin() {
        do {
            if let file = try presentFile() { return check(file) }
        } catch {
            return fail(with: DownloadError(opening: error), FailedAttempt(reached: 0, download.history))
        }
        open(replacing: request.replacesExisting ? .all : .none)
    }

    var runtime: Runtime { manager.surroundings.runtime }

    /// What the process has learned of hosts.
    var lessons: Locked<HostLessons> { manager.surroundings.lessons }

    var directory: DownloadDirectory { manager.directories.directory(request.directory) }

    func open(replacing replaced: ReplacedFiles) {
        do {
            let opening = try directory.open(
                for: request.url,
                naming: request.naming,
                // Only the first one: it may have left a file.
                isNew: download.isNew && number == 1,
                isOfMirror: beginsAnew,
                replacing: replaced,
                isTaken: isTaken
            )
            switch opening {
            case .finished(let file): check(file)
            case .partial(let file):
                control.withLock { ($0.file, $0.replaces) = (file, replaced != .none) }
                if mirror == nil, let total = file.found.total { report(.total(total)) }
                if let prepare = manager.configuration.prepare, mirror == nil {
                    self.prepare(file, by: prepare)
                } else {
                    fetch(into: file, nil)
                }
            }
        } catch {
            fail(with: DownloadError(opening: error), FailedAttempt(reached: 0, download.history))
        }
    }

    func fetch(into file: PartialFile, _ prepared: PreparedRequest?) {
        let budget = RequestBudget(connections, found: file.filled.count)
        fetch(into: file, FetchRequest(self, prepared), history: download.history, budget: budget)
    }

    /// Whether the finished file gets the time that the server says.
    var keepsServerTime: Bool {
        download.enqueuedRequest.keepsServerTime ?? manager.configuration.keepsServerTime
    }

    /// The partial file, once it is open.
    var file: PartialFile? { control.withLock { $0.file } }

    func report(_ report: AttemptReport) {
        download.note(report, of: number)
    }

    // MARK: What is asked of it

    /// Whether a limit of its rate is set. Then the file has one connection, whatever number was asked for.
    var isLimited: Bool { rate?.isLimited ?? false }

    /// How many connections the file is to have.
    var connections: ConnectionCount {
        download.enqueuedRequest.connections ?? manager.configuration.connectionsPerDownload
    }

    /// The file is complete: checks it, syncs it, gives it its final name.
    func complete(_ file: PartialFile, size: Int64) {
        let checksum = control.withLock { $0.fetch?.use { $0.checksum } }
        if let expected = checksum?.expected, let digest = checksum?.digest {
            return digest.finish(size: size, while: { !self.isStopping }) { found in
                self.onDisk { self.digested(file, size: size, expected, found) }
            }
        }
        // In memory this takes no longer than handing it to another thread.
        if file.isInMemory, !hasDiskQueue { return publish(file, size: size) }
        onDisk { self.publish(file, size: size) }
    }

    private func digested(
        _ file: PartialFile,
        size: Int64,
        _ expected: ExpectedChecksum,
        _ found: Result<Checksum?, FileSystemError>
    ) {
        switch found {
        case .success(expected.checksum): publish(file, size: size)
        case .success(let found?): close(file, checksumDiffers(expected, found: found, file))
        case .success(nil):
            let error = DownloadError.missingDigest(expected.checksum.algorithm, url: request.url)
            close(file, isStopping ? nil : FetchFailure(error))
        case .failure(let error): close(file, FetchFailure(DownloadError(writing: error)))
        }
    }

    /// Ends without a final file, after a failure or because the attempt was cancelled.
    func end(_ file: PartialFile, _ failure: FetchFailure?) {
        hasDiskQueue ? onDisk { self.close(file, failure) } : close(file, failure)
    }

    /// Ends, and waits until a host has room and may be asked.
    func end(_ file: PartialFile, waitingFor host: HTTPOrigin) {
        hasDiskQueue ? onDisk { self.close(file, waitingFor: host) } : close(file, waitingFor: host)
    }

    private func close(_ file: PartialFile, waitingFor host: HTTPOrigin) {
        if control.withLock({ $0.syncFailure }) != nil { return close(file, nil) }
        _ = keep(file)
        report(.waits(host, history))
        finish()
    }

    /// The steps that it and those before it have tried.
    private var history: ResumeHistory { control.withLock { $0.fetch?.use { $0.history } } ?? download.history }

    // MARK: On the disk

    private var hasDiskQueue: Bool { control.withLock { $0.disk != nil } }

    func onDisk(_ work: @escaping @Sendable () -> Void) {
        let queue = control.withLock { control in
            let queue = control.disk ?? runtime.makeQueue("spate.disk")
            control.disk = queue
            return queue
        }
        queue.async(work)
    }

    func sync(_ file: PartialFile) {
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            // What was not synced may be lost, though a second sync would report success. See `close`.
            control.withLock { $0.syncFailure = error }
            cancel()
        }
        control.withLock { $0.fetch?.synced() }
    }

    private func publish(_ file: PartialFile, size: Int64) {
        let (response, remarks) = control.withLock { $0.fetch?.use { ($0.response, $0.remarks) } ?? (nil, []) }
        do {
            guard let path = try giveFinalName(to: file, size: size) else { return close(file, nil) }
            file.deleteOtherParts(isWanted: download.hasMirrors)
            let update: DownloadUpdate? = isUpdate ? .updated : nil
            let end = FinishedAttempt(path: path, size: size, response: response, remarks: remarks, update: update)
            if file.isInMemory {
                report(.finished(end))
                return finish()
            }
            // The slot is free before the end: small files share a sync of the folder and do not wait for one each. The
            // attempt is retained, and with it the manager, which would cancel its downloads at its end.
            download.handle(.attemptWaitsForDisk(number))
            finish()
            file.whenFinalNameIsSynced { [self] failure in
                if let failure { return nameMayBeLost(failure) }
                report(.finished(end))
            }
        } catch {
            close(file, FetchFailure(DownloadError(writing: error)))
        }
    }

    /// The file has its final name, but a power cut may take that away. The next attempt finds the file, and syncs its name.
    private func nameMayBeLost(_ error: FileSystemError) {
        download.handle(.attemptDidNotPublish(number))
        report(.failed(DownloadError(writing: error), FailedAttempt(reached: 0, download.history)))
    }

    /// Returns the final path, or `nil` if the attempt was cancelled.
    private func giveFinalName(to file: PartialFile, size: Int64) throws(FileSystemError) -> String? {
        var turnsLeft = 5
        while true {
            try file.prepareToPublish(size: size)
            do throws(FileSystemError) {
                return try download.publish(of: number) { () throws(FileSystemError) in
                    try file.publish(replacing: download.enqueuedRequest.replacesExistingFile)
                }
            } catch  where error.kind == .alreadyExists && !isUpdate && turnsLeft > 0 {
                // A stranger's file, or that of another process, got the name meanwhile. What is updated keeps its name.
                turnsLeft -= 1
                guard let name = try directory.finalName(for: request.url, naming: request.naming, isTaken: isTaken)
                else { throw error }
                file.choose(finalName: name)
            }
        }
    }

    /// Whether another download has this name. If not, this one has it from now on.
    private func isTaken(_ name: String) -> Bool {
        manager.table.withLock { !$0.claim(name, in: request.directory, for: request.url) }
    }

    func close(_ file: PartialFile, _ failure: FetchFailure?) {
        var failure = failure
        if let error = file.syncFailure ?? control.withLock({ $0.syncFailure }) {
            file.dropUnsynced()
            failure = FetchFailure(DownloadError(writing: error))
        }
        let part = failure == nil ? nil : part(file)
        let reached = keep(file)
        guard let failure else { return finish() }
        var end = FailedAttempt(reached: reached, history)
        (end.retryAfter, end.isFutile, end.part) = (failure.retryAfter, failure.isFutile, part)
        fail(with: failure.error, end)
    }

    /// What there is of the part that a mirror may continue; `nil` if the attempt has another file.
    private func part(_ file: PartialFile) -> FailedAttempt.Part? {
        if beginsAnew { return nil }
        if file.filled.isEmpty { return .nothing }
        let hasChecksum = download.enqueuedRequest.checksum != nil
        let held = file.held.elsewhere(hasChecksum: hasChecksum, isProtected: true)
        return held.canBeContinuedElsewhere ? .joinable : .fixed
    }

    /// Closes the file, and removes it if there is nothing to keep. Returns how much is kept.
    private func keep(_ file: PartialFile) -> Int64 {
        let keeps = !download.isDeleted && file.keep() && !isFinishedByAnother
        let reached = keeps ? file.filled.count : 0
        if reached == 0 { try? file.delete() } else { download.claimFile(for: manager.ownership, file.claim) }
        file.close()
        // Whoever ended it meanwhile found the file locked.
        if reached > 0 { download.releaseFileIfEnded() }
        return reached
    }

    /// Nothing is left to do.
    func finish() {
        giveBackRedirectLease()
        operation.finish()
    }

    func fail(with error: DownloadError, _ end: FailedAttempt) {
        var (error, end) = (error, end)
        error.keptPartialFile = end.reached > 0
        if isUpdate { error.message += " The file from before stays as it is." }
        end.staysAtOrigin = download.enqueuedRequest.checksum == nil && replacesFinishedFile
        report(.failed(error, end))
        finish()
    }
}
