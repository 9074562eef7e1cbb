public import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking

/// One download, from its enqueueing to its end.
///
/// It outlives pauses and retries: each ends a ``DownloadOperation`` and leads to another. All members may be used from
/// any thread.
public final class Download: Sendable, Identifiable {
    /// The URL as given.
    public var url: URL { enqueuedRequest.url }

    let enqueuedRequest: DownloadRequest
    /// The validated request; `nil` if it is invalid.
    let valid: ValidRequest?
    /// Whether it was restored from disk.
    let isRestored: Bool
    /// Whether its folder had none of the file's names when it was enqueued, as far as known.
    let isNew: Bool
    /// Its place in the order of enqueueing.
    let serial: UInt64
    /// The index of its entry in the manager's table; `nil` if it is not there.
    let index: Int?
    let core: Locked<DownloadCore>
    // A manager without references goes away when nothing is queued or running. Its paused downloads end then.
    weak let manager: DownloadManager?

    init(
        _ request: DownloadRequest,
        _ valid: ValidRequest?,
        serial: UInt64,
        index: Int? = nil,
        manager: DownloadManager,
        observer: (any DownloadObserver)? = nil,
        isRestored: Bool = false,
        isNew: Bool = false
    ) {
        enqueuedRequest = request
        self.valid = valid
        self.isRestored = isRestored
        self.isNew = isNew
        self.serial = serial
        self.index = index
        self.manager = manager
        var core = DownloadCore(
            machine: manager.newMachine,
            priority: request.priority,
            managerObservers: manager.observers
        )
        if let observer { core.observers.append(observer) }
        if let mirrors = valid?.mirrors, !mirrors.isEmpty {
            core.machine.sources.add(mirrors: mirrors, isVerified: request.isProvable, isNamed: true)
        }
        // It is large.
        self.core = Locked(consume core, .download)
    }

    /// Its present state.
    public var state: DownloadState { core.withLock { $0.machine.state } }

    /// How it ended; `nil` before. A cancelled or deleted download failed with ``DownloadError/Code/cancelled``.
    public var result: Result<URL, DownloadError>? {
        core.withLock { $0.machine.end }?.result(of: self)
    }

    /// Why it ended without its file; `nil` before the end, and if it has finished. A cancelled or deleted download
    /// failed with ``DownloadError/Code/cancelled``.
    public var error: DownloadError? { core.withLock { $0.machine.end }?.error(of: self) }

    /// How far it is, with the present speed: 0 unless it runs. Before the start, the bytes on disk count; after the
    /// end, the counts stay.
    public var progress: DownloadProgress { standing.progress }

    /// The server's response with the file: the final URL, the status and the header fields. `nil` until the first one has
    /// come, and if the file already existed and no request was sent.
    ///
    /// It is there before the first progress. If the file comes in several responses, this is the latest of the first
    /// connection. It stays as long as the download is held, in some 400 bytes.
    public var response: DownloadResponse? {
        core.withLock { $0.response }?.response
    }

    /// Notes about the received file; empty until the download has finished, and if the file already existed.
    public var remarks: [DownloadRemark] { core.withLock { $0.remarks } }

    /// Whether a finished file had changed on the server, or had to be repaired; `nil` until the download has finished,
    /// and if ``DownloadRequest/checksForUpdate`` is false and it is no repair, or if there was no finished file.
    public var update: DownloadUpdate? { core.withLock { $0.update } }

    /// The limit for the received bytes per second; `nil` for no limit of its own.
    ///
    /// It begins with ``DownloadRequest/maxBytesPerSecond``. A change takes effect at once, even while it runs. A value
    /// below 1 counts as 1.
    public var maxBytesPerSecond: Int64? {
        get { core.withLock { $0.rate.map { $0.ownLimit } ?? enqueuedRequest.maxBytesPerSecond.map { max(1, $0) } } }
        set { rateShare?.ownLimit = newValue }
    }

    /// The rank among the downloads that wait for a slot. It begins with ``DownloadRequest/priority``.
    ///
    /// A change moves a download that waits: it stands behind the others of its new priority. A running one goes on, and has
    /// the new priority when it waits again. A kept queue has the request's.
    public var priority: Operation.QueuePriority {
        get { core.withLock { $0.priority } }
        set {
            let (attempt, operation, isUrgent) = core.withLock { core in
                let isNew = core.priority != newValue
                core.priority = newValue
                return (isNew ? core.machine.awaited : nil, core.operation, core.machine.isUrgent)
            }
            operation?.queuePriority = newValue
            guard let attempt, let manager else { return }
            // Its former place in the line is stale.
            manager.feed.withdraw(nil)
            let waiting = WaitingDownload(download: self, attempt: attempt, manager: manager, isUrgent: isUrgent)
            manager.feed.add(waiting)
        }
    }

    /// The attempt that is queued or running; `nil` while it is paused, waits for a retry, or has ended.
    ///
    /// Reading this property of a download that waits for a slot puts its operation into the manager's operation queue.
    /// The operation starts as soon as a slot is free and its dependencies have finished. Until then it holds no slot,
    /// and other downloads pass. If its host has no room then, it finishes without an attempt, and the download keeps
    /// its place.
    public var operation: DownloadOperation? {
        let (attempt, operation) = core.withLock { ($0.machine.awaited, $0.operation) }
        guard operation == nil, let attempt, let manager else { return operation }
        return self.operation(for: attempt, in: manager, isTurn: false)?.operation
    }

    /// The finished file.
    ///
    /// Waits for the end, through pauses and retries. Cancelling the waiting task throws `CancellationError` and does
    /// not affect the download; with ``DownloadManager/file(for:)-(URL)`` it does.
    ///
    /// - Throws: the ``DownloadError`` that ended the download, with the code ``DownloadError/Code/cancelled`` if it
    ///   was cancelled or deleted.
    public var file: URL {
        get async throws {
            let reader = EndsReader(on: runtime, rest: nil)
            if add(reader) { _ = await reader.next() }
            if let result { return try result.get() }
            remove(reader)
            throw CancellationError()
        }
    }

    /// The events of the download from now on, beginning with its present state. The sequence ends after the end.
    ///
    /// Each access makes a separate stream, for one reader. A slow reader misses progress, never a state.
    public var events: AsyncStream<DownloadEvent> { events(isUse: true) }

    /// - Parameter isUse: whether the reader waits for the file.
    func events(isUse: Bool) -> AsyncStream<DownloadEvent> {
        let reader = EventReader(.download, on: runtime, isUse: isUse)
        add(reader: reader)
        let subscription = Subscription(reader) { [self] in remove($0) }
        return AsyncStream { await subscription.reader.next()?.event }
    }

    /// Stops it and keeps the received bytes. Its slot is free for another download. Does nothing after the end, or
    /// once the file is getting its final name.
    ///
    /// Returns at once, like ``resume()`` and ``cancel()``: the state has changed by then, and the attempt closes its
    /// file soon after.
    public func pause() { handle(.pause) }

    /// Continues a paused download, before downloads of its priority that have not begun. If it waits for a retry, or
    /// because its host has asked to wait, it tries now. Does nothing otherwise.
    public func resume() { handle(.resume) }

    /// Ends it and keeps the received bytes, so that enqueueing the same URL again resumes there. Does nothing after
    /// the end, or once the file is getting its final name.
    public func cancel() {
        handle(.cancel)
        writeCancellation()
    }

    /// If the process is killed after this, the cancelled download is not restored.
    func writeCancellation() { manager?.journal?.write() }
}
