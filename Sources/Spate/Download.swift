public import Foundation
import HTTPSyntax
import HTTPTransport
import Locking

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
