import Foundation
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateHosts
import SpateLocking
import SpatePartialFiles
import SpateTiming

/// One attempt at a download: opens the file, fetches the missing bytes, syncs the file, and renames it.
///
/// A ``FetchMachine`` decides. The attempt feeds it each event under its only lock, then performs the actions.
///
/// It begins on the queue's thread and continues on the transport's. Work that may wait for the disk runs on the
/// attempt's own serial queue, in order: publishing or closing a file follows its running sync. Only ``cancel()`` may
/// come at any time.
final class Attempt: Sendable {
    let number: Int
    let download: Download
    let request: ValidRequest
    let manager: DownloadManager
    /// The mirror to ask; `nil` for the enqueued URL.
    let mirror: HTTPURL?
    /// Whether the mirror starts from zero, in a second partial file, while the origin's part stays.
    let beginsAnew: Bool
    /// Whether it drops what it finds on disk.
    let startsOver: Bool
    let operation: DownloadOperation
    let directory: DownloadDirectory
    let rate: RateShare?
    /// Whether to ignore that the host has asked to wait.
    let isUrgent: Bool
    let began: ContinuousClock.Instant
    let control: Locked<Control>

    struct Control {
        var machine: FetchMachine
        var requests: FetchRequest?
        var processors = ProcessorTime()
        var file: PartialFile?
        /// The finished file of an update. It stays until the changed file is complete.
        @Rare var finished: StoredFile?
        /// Whether to ask the server if that file has changed. If not, it is fetched in any case.
        var asksForChange = false
        /// The finished file whose name the new one gets, if a response may have given it.
        @Rare var replaced: StoredFile?
        /// Whether a finished file is replaced.
        var replaces = false
        /// The bytes whose pieces were read before the file was opened.
        var proven = FilledRanges()
        /// Ends the wait for what the next request needs: the program's preparation, a lookup, or the server's Metalink.
        var endsWait: (@Sendable () -> Void)?
        /// Made when first needed: most attempts in memory never need one.
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
        let start = download.start(in: manager)
        (mirror, beginsAnew, startsOver) = (start.mirror, start.beginsAnew, start.startsOver)
        directory = manager.directories.directory(request.claim)
        (rate, isUrgent) = (start.rate, start.isUrgent)
        self.operation = operation
        let redirects = RedirectRules(
            manager.configuration.redirects,
            allowsInsecure: download.enqueuedRequest.allowsInsecureRedirects
        )
        let longestWait = manager.configuration.retry.longestWait
        let route = RequestRoute(to: mirror ?? request.url, mirroring: request.url)
        // In one expression: a machine is large, and a variable would be copied.
        control = Locked(
            Control(
                machine: FetchMachine(
                    redirects: redirects,
                    longestWait: longestWait,
                    history: start.history,
                    route
                )
            ),
            .attempt
        )
    }

    var runtime: Runtime { manager.surroundings.runtime }

    /// Where its first connection is.
    var host: HTTPOrigin { control.withLock { $0.machine.first.route.address.origin } }

    /// What the process has learned about hosts.
    var lessons: Locked<HostLessons> { manager.surroundings.lessons }

    /// The number of connections for the file.
    var connections: ConnectionCount {
        download.enqueuedRequest.connections ?? manager.configuration.connectionsPerDownload
    }

    /// The partial file, once it is open.
    var file: PartialFile? { control.withLock { $0.file } }

    /// The steps tried by this and earlier attempts.
    var history: ResumeHistory { control.withLock { $0.machine.history } }

    /// Whether it was cancelled, or a sync failed.
    var isStopping: Bool { control.withLock { $0.machine.isStopping } }

    func moment(of file: PartialFile) -> FetchMachine.Moment {
        FetchMachine.Moment(time: runtime.now - began, filled: file.filled)
    }

    // MARK: Events and actions

    /// Feeds an event to the machine, and performs the actions.
    func handle(_ file: PartialFile, _ event: (inout FetchMachine) -> [FetchMachine.Action]) {
        perform(control.withLock { event(&$0.machine) }, file)
    }

    func perform(_ actions: [FetchMachine.Action], _ file: PartialFile) {
        for action in actions {
            switch action {
            case .send(let id): sendNext(of: id, file)
            case .drop: drop(file)
            case .measure: measure(file)
            case .lookUp(let url): lookUp(url)
            case .avoid(let address): avoid(address)
            case .distrust(let host): manager.surroundings.addresses.change(host) { $0.distrust(now: $1) }
            case .leave(let failure): leave(file, because: failure)
            case .note(let refusal, let isOfFirst): note(refusal, isOfFirst: isOfFirst)
            case .begin(let beginning): begin(beginning, file)
            case .sync: onDisk { self.sync(file) }
            case .digest(let digest, let front): digest.advance(to: front)
            case .read(let reader, let due): read(due, reader, file)
            case .divide(let position): divide(file, at: position)
            case .open(let id, let isOnly): open(id, file, isOnly: isOnly)
            case .close(let id, let end, let lease): close(id, end, lease, file)
            case .cancel(let transfer): transfer.cancel()
            case .report: reportCount()
            case .conclude: concludeDivision(file)
            case .learn(let host, let isAlone, let count): learn(host, isAlone: isAlone, count: count)
            case .learnProof(let host, let proof): lessons.withLock { $0.learn(host) { $0.endProof = proof } }
            case .readMetalink(let link): readMetalink(link, file)
            case .publish(let size): complete(file, size: size)
            case .keepFinished(let isProven): keepFinished(file, isProven: isProven)
            case .end(.failed(let failure)) where failure.unfoundHost != nil: judgeName(file, failure)
            case .end(let end): self.end(file, end)
            }
        }
    }

    func report(_ report: AttemptReport) {
        download.note(report, of: number)
    }

    func report(_ end: FinishedAttempt) {
        download.noteEnd(of: number, end)
    }

    /// Cancels the running transfers, and sends no more requests.
    func cancel() {
        let (actions, endWait, file) = control.withLock { ($0.machine.stop(), $0.endsWait, $0.file) }
        endWait?()
        if let file { perform(actions, file) }
    }

    /// Waits for something before the next request. It must call ``afterWait(_:)`` once, also if the wait is ended.
    func wait(for begin: () -> Void, endingBy end: @escaping @Sendable () -> Void) {
        control.withLock { $0.endsWait = end }
        // A later cancellation finds it.
        if isStopping { end() }
        begin()
    }

    /// The wait is over. Continues on the disk's queue.
    func afterWait(_ next: @escaping @Sendable () -> Void) {
        onDisk {
            self.control.withLock { $0.endsWait = nil }
            next()
        }
    }

    /// Ends the attempt in favour of others: the download waits again, and continues later. Does nothing if its bytes
    /// would be lost, or if it is ending anyway.
    func giveWay() {
        guard let file else { return }
        let filled = file.filled
        perform(control.withLock { $0.machine.giveWay(filled) }, file)
    }

    var givesWay: Bool { control.withLock { $0.machine.givesWay } }

    /// Truncates the file to nothing.
    func drop(_ file: PartialFile) {
        let isGone = (try? file.truncate(to: 0)) != nil
        control.withLock { $0.machine.dropped(isGone: isGone) }
    }

    private func note(_ refusal: HostRestraint.Refusal, isOfFirst: Bool) {
        if isOfFirst {
            manager.feed.note(refusal, at: [download.host, refusal.host], of: (download, began))
        } else {
            manager.feed.note(refusal, at: [refusal.host])
        }
    }

    // MARK: The disk

    var hasDiskQueue: Bool { control.withLock { $0.disk != nil } }

    func onDisk(_ work: @escaping @Sendable () -> Void) {
        let queue = control.withLock { control in
            let queue = control.disk ?? runtime.makeQueue("spate.disk")
            control.disk = queue
            return queue
        }
        queue.async(work)
    }

    private func sync(_ file: PartialFile) {
        var failure: FileSystemError?
        do throws(FileSystemError) {
            try file.sync()
        } catch {
            // Unsynced bytes may be lost, even if a second sync reports success. See `close`.
            failure = error
        }
        handle(file) { $0.synced(failure) }
    }
}
