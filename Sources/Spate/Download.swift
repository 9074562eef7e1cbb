public import Foundation
import HTTPResumption
import HTTPSyntax
import HTTPTransport
import Locking
import Timing

/// One download, from its enqueueing to its end.
///
/// It outlives pauses and retries, each of which ends a ``DownloadOperation`` and leads to another. All members may be
/// used from any thread.
public final class Download: Sendable, Identifiable {
    /// The URL, as it was given.
    public var url: URL { enqueuedRequest.url }

    let enqueuedRequest: DownloadRequest
    /// The request in its checked form; `nil` if it cannot be met.
    let valid: ValidRequest?
    /// Whether it was found on disk, not asked for.
    let isRestored: Bool
    /// Whether its folder had nothing of its file, nor anything that has one of the file's names, when it was enqueued, as far
    /// as is known.
    let isNew: Bool
    /// Its place in the order in which downloads were enqueued.
    let serial: UInt64
    let core: Locked<DownloadCore>
    // A manager that nobody holds goes away when nothing is queued or running; its paused downloads end then.
    weak let manager: DownloadManager?

    init(
        _ request: DownloadRequest,
        _ valid: ValidRequest?,
        serial: UInt64,
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
        self.manager = manager
        var core = manager.newCore
        if let observer { core.observers.append(observer) }
        core.machine.sources.add(mirrors: valid?.mirrors ?? [], isVerified: request.checksum != nil, isNamed: true)
        self.core = Locked(core, .download)
    }

    /// What makes its URL equal to another; `nil` if it cannot be downloaded.
    var key: HTTPURL? { valid?.url }

    /// What its next attempt waits for.
    var host: HTTPOrigin { core.withLock { Self.host($0, valid) } }

    private static func host(_ core: DownloadCore, _ request: ValidRequest?) -> HTTPOrigin {
        if case .host(let host) = core.redirectedTo { return host }
        return (core.machine.sources.mirror ?? request?.url)?.origin ?? .none
    }

    /// Its present state.
    public var state: DownloadState { core.withLock { $0.machine.state } }

    /// Whether it waits because its host has ``DownloadManager/Configuration-swift.struct/maxConnectionsPerHost``
    /// connections, or because the host has refused requests and asked to wait.
    ///
    /// It takes no slot meanwhile, and others pass. Its state is `waiting(.slot)`, which is reported once more when this
    /// becomes true. ``resume()`` tries although the host has asked to wait.
    public var waitsForHost: Bool {
        core.withLock { core in
            if case .waiting(.slot) = core.machine.state { core.machine.waitsForHost } else { false }
        }
    }

    /// How it ended; `nil` before. A download that was cancelled or deleted failed with ``DownloadError/Code/cancelled``.
    public var result: Result<URL, DownloadError>? { state.result }

    /// How far it is, with the speed of this moment: 0 unless it runs. Before it begins, what is on disk counts; after the end
    /// the counts stay.
    public var progress: DownloadProgress { standing.progress }

    /// What the server answered that the finished file came from: the final URL, the status and the header fields. `nil`
    /// until the download has finished, and if the file was there already and the server was not asked.
    ///
    /// If several responses brought the file, it is the last one that the first connection had. It stays as long as the
    /// download is held, in some 400 bytes.
    public var response: DownloadResponse? {
        core.withLock { $0.response }?.response
    }

    /// What is worth knowing about the file that was received; empty until the download has finished, and if the file was
    /// there already.
    public var remarks: [DownloadRemark] { core.withLock { $0.remarks } }

    /// What came of the question whether a finished file had changed; `nil` until the download has finished, and if
    /// ``DownloadRequest/checksForUpdate`` is false or no finished file was there.
    public var update: DownloadUpdate? { core.withLock { $0.update } }

    /// How many bytes per second it receives; `nil` for no limit of its own.
    ///
    /// It begins with ``DownloadRequest/maxBytesPerSecond``. A change takes effect at once, also while it runs. A value
    /// below 1 counts as 1.
    public var maxBytesPerSecond: Int64? {
        get { core.withLock { $0.rate.map { $0.ownLimit } ?? enqueuedRequest.maxBytesPerSecond.map { max(1, $0) } } }
        set { rateShare?.ownLimit = newValue }
    }

    /// The attempt that is queued or running; `nil` while it is paused, waits for a retry, or has ended.
    ///
    /// Asking for the operation of a download that waits for a slot puts it into the manager's operation queue. It then
    /// starts as soon as a slot is free and the operations that it depends on have finished; until then it takes no slot,
    /// and other downloads pass. If its host has no room then, it finishes without an attempt, and the download keeps its
    /// place.
    public var operation: DownloadOperation? {
        let (attempt, operation) = core.withLock { ($0.machine.awaited, $0.operation) }
        guard operation == nil, let attempt, let manager else { return operation }
        return self.operation(for: attempt, in: manager, isTurn: false)?.operation
    }

    /// The finished file.
    ///
    /// Waits for the end, through pauses and retries. Cancelling the task that waits ends the waiting with
    /// `CancellationError` and leaves the download alone.
    ///
    /// - Throws: the ``DownloadError`` that ended the download; one of the code ``DownloadError/Code/cancelled`` when
    ///   it was cancelled or deleted.
    public var file: URL {
        get async throws {
            let reader = EventReader(.end, on: runtime)
            if add(reader) {
                _ = await reader.next()
                remove(reader)
            }
            guard let result else { throw CancellationError() }
            return try result.get()
        }
    }

    /// What happens to the download from now on, beginning with its present state. The sequence ends after the end.
    ///
    /// Each access makes a stream of its own, for one reader. A slow reader misses progress, never a state.
    public var events: AsyncStream<DownloadEvent> {
        let reader = EventReader(.download, on: runtime)
        add(reader: reader)
        let subscription = Subscription(reader) { [self] in remove($0) }
        return AsyncStream {
            await subscription.reader.next()?.event
        } onCancel: {
            reader.abandon()
        }
    }

    /// Stops it and keeps what has been received. Its slot is free for another. Does nothing after the end, or when the
    /// file has its final name or is getting it.
    ///
    /// Returns at once, like ``resume()`` and ``cancel()``: the state has changed by then, and the attempt that ran closes
    /// its file soon after.
    public func pause() { handle(.pause) }

    /// Lets a paused download go on, before those of its priority that have not begun. One that waits for a retry, or because
    /// its host has asked to wait, tries now. Does nothing otherwise.
    public func resume() { handle(.resume) }

    /// Ends it and keeps what has been received, so that enqueueing the same URL again goes on from there. Does nothing
    /// after the end, or when the file has its final name or is getting it.
    public func cancel() {
        handle(.cancel)
        // A process that is killed after this does not bring it back.
        manager?.journal?.write()
    }
}

// MARK: For the queue and the observers

extension Download {
    /// Whether this attempt waits for a slot.
    func awaits(_ attempt: Int) -> Bool { core.withLock { $0.machine.awaits(attempt) } }

    /// Whether the attempt that waits is to be made although its host has asked to wait.
    var isUrgent: Bool { core.withLock { $0.machine.isUrgent } }

    /// The operation of an attempt that waits for a slot, made and put into the queue if it is new; `nil` if the download
    /// no longer waits for this attempt.
    ///
    /// - Parameter isTurn: whether the download has left the line; false if it is only asked for.
    func operation(
        for attempt: Int,
        in manager: DownloadManager,
        isTurn: Bool = true
    ) -> (operation: DownloadOperation, isNew: Bool)? {
        // Into the queue under the lock: nobody else gets it before, and could put it into a queue of their own.
        core.withLock { core in
            guard core.machine.awaits(attempt) else { return nil }
            if let operation = core.operation {
                if isTurn { operation.isAskedFor = false }
                return (operation, false)
            }
            let host = Self.host(core, valid)
            let operation = DownloadOperation(attempt, at: self, of: manager, host: host)
            operation.queuePriority = enqueuedRequest.priority
            operation.isAskedFor = !isTurn
            // An attempt that was abandoned, of this download or one before it, may still have the file open.
            let holder = manager.table.withLock { $0.holder(of: self) }
            if let holder { operation.wait(for: holder) }
            core.operation = operation
            manager.feed.queue.addOperation(operation)
            if holder != nil { operation.settleReadiness() }
            return (operation, true)
        }
    }

    var runtime: Runtime { core.withLock { $0.runtime } }

    /// Adds an observer; false if the download has ended.
    func add(_ observer: any DownloadObserver) -> Bool {
        core.withLock { core in
            if core.machine.state.isTerminal { return false }
            core.observers.append(observer)
            return true
        }
    }

    func remove(_ observer: any DownloadObserver) {
        let removed = core.withLock { core in
            core.observers.firstIndex { $0 === observer }.map { core.observers.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// The state and the progress of one moment.
    var standing: (state: DownloadState, progress: DownloadProgress) {
        core.withLock { core in
            let state = core.machine.state
            var progress = core.meter.progress(now: core.runtime.now)
            // The speed fades within seconds; what has stopped has none at once.
            if case .running = state {} else { progress.bytesPerSecond = 0 }
            return (state, progress)
        }
    }

    /// Calls a closure with the present state and progress, before any later one can be noted.
    func present(_ body: (DownloadState, DownloadProgress, inout [any DownloadObserver]) -> Void) {
        core.withLock { core in body(core.machine.state, core.meter.progress(now: core.runtime.now), &core.observers) }
    }

    /// Calls a closure with the end: at once if the download has ended, else on the thread that brings the end about, when
    /// the manager has forgotten the download and no lock is held.
    func whenEnded(_ handle: @escaping @Sendable (Result<URL, DownloadError>) -> Void) {
        if add(EndObserver(handle: handle)) { return }
        if let result { handle(result) }
    }

    /// Whether it is queued, runs or waits for a retry.
    var isBusy: Bool {
        switch state {
        case .waiting, .running: true
        case .paused, .finished, .failed, .cancelled: false
        }
    }

    /// Ends it because the file is there already.
    func endAtOnce(withFile path: String, size: Int64) {
        perform { core in
            core.meter.complete(at: size, now: core.runtime.now)
            return core.handle(.endAtOnce(.finished(URL(fileURLWithPath: path, isDirectory: false))))
        }
    }

    /// The mirror that its attempts ask, `nil` for its URL, and whether that begins anew beside what the URL has sent.
    var source: (mirror: HTTPURL?, beginsAnew: Bool) {
        core.withLock { ($0.machine.sources.mirror, $0.machine.sources.beginsAnew) }
    }

    /// The size of the URL's file, if that is known and the file has mirrors.
    var originTotal: Int64? { core.withLock { $0.machine.sources.originTotal } }

    /// Whether mirrors of the file are known.
    var hasMirrors: Bool { core.withLock { $0.machine.sources.haveMirrors } }

    /// Its share of the manager's rate, made when it is needed first; `nil` if the manager has gone.
    var rateShare: RateShare? {
        core.withLock { core in
            if let rate = core.rate { return rate }
            core.rate = manager.map { RateShare(of: $0.rateLimit, ownLimit: enqueuedRequest.maxBytesPerSecond) }
            return core.rate
        }
    }

    var history: ResumeHistory { core.withLock { $0.history } }

    var previousError: DownloadError? { core.withLock { $0.machine.previousError } }

    var isDeleted: Bool { core.withLock { $0.isDeleted } }
}

extension DownloadState {
    /// How the download ended; `nil` if it has not.
    var result: Result<URL, DownloadError>? {
        switch self {
        case .finished(let file): .success(file)
        case .failed(let error): .failure(error)
        case .cancelled: .failure(.wasCancelled)
        case .waiting, .running, .paused: nil
        }
    }
}

extension DownloadError {
    static let wasCancelled = DownloadError(
        .cancelled,
        "The download was cancelled. Enqueue it again to go on.",
        isRetryable: true
    )
}
