public import Foundation
import HTTPResumption
import Locking

/// One download, from its enqueueing to its one end.
///
/// It outlives pauses and retries, each of which ends a ``DownloadOperation`` and leads to another. All members may be
/// used from any thread.
public final class Download: Sendable, Identifiable {
    /// The address, as it was given.
    public var url: URL { request.url }

    let request: DownloadRequest
    /// What the request comes to; `nil` where it cannot be met. Nothing that it was judged by can change.
    let checked: CheckedRequest?
    let serial: UInt64
    let core: Locked<DownloadCore>
    // A manager that nobody holds goes away when nothing is queued or running; its paused downloads end then.
    weak let manager: DownloadManager?

    init(
        request: DownloadRequest,
        checked: CheckedRequest?,
        serial: UInt64,
        core: DownloadCore,
        manager: DownloadManager
    ) {
        self.request = request
        self.checked = checked
        self.serial = serial
        self.manager = manager
        self.core = Locked(core)
    }

    /// What makes the address equal to another; `nil` where it is not one that can be downloaded.
    var key: HTTPURL? { checked?.url }

    /// Where it stands.
    public var state: DownloadState { core.withLock { $0.machine.state } }

    /// How far it is. The speed is that of this moment; after the end the counts stay.
    public var progress: DownloadProgress {
        let now = ContinuousClock.now
        return core.withLock { $0.meter.progress(now: now) }
    }

    /// What is worth knowing about the file that was received; empty until the download has finished, and where the file
    /// was there already.
    public var remarks: [DownloadRemark] { core.withLock { $0.remarks } }

    /// The attempt that is queued or running; `nil` while it is paused, waits for a retry, or has ended.
    public var operation: DownloadOperation? {
        // Held from outside of the lock: whoever lets go of a manager as the last ends its downloads, which takes it.
        let manager = manager
        return withExtendedLifetime(manager) {
            core.withLock { core in
                guard let manager, let attempt = core.machine.awaited else { return core.operation }
                return core.operation(for: attempt, of: self, manager)
            }
        }
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
            let ticket = core.withLock { $0.waiters.ticket() }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let answer = core.withLock { core -> Result<URL, any Error>? in
                        if let result = core.result { return result.mapError { $0 } }
                        return core.waiters.add(continuation, ticket: ticket) ? nil : .failure(CancellationError())
                    }
                    if let answer { continuation.resume(with: answer) }
                }
            } onCancel: {
                core.withLock { $0.waiters.remove(ticket) }?.resume(throwing: CancellationError())
            }
        }
    }

    /// Everything that happens to the download from now on, beginning with its present state; the sequence ends after
    /// the end has been told.
    ///
    /// Each access gives a stream of its own, for one reader. A reader who is slow misses progress, never a state.
    public var events: AsyncStream<DownloadEvent> {
        let mailbox = EventMailbox()
        core.withLock { core in
            core.mailboxes.removeAll(where: \.isClosed)
            mailbox.put(.state(core.machine.state))
            if core.machine.state.isTerminal {
                mailbox.close()
            } else {
                core.mailboxes.append(mailbox)
            }
        }
        return AsyncStream {
            await mailbox.next()
        } onCancel: {
            mailbox.abandon()
        }
    }

    /// Stops it and keeps what has been received; its place is free for another. Does nothing once it has ended.
    ///
    /// Returns at once, like ``resume()`` and ``cancel()``: the state has changed by then, and the attempt that ran lets
    /// go of its file soon after.
    public func pause() { handle(.pause) }

    /// Lets a paused download go on, before those of its priority that have not begun, and one that waits for a retry
    /// try now. Does nothing otherwise.
    public func resume() { handle(.resume) }

    /// Ends it and keeps what has been received, so that enqueueing the same URL again goes on from there. Does
    /// nothing once it has ended.
    public func cancel() { handle(.cancel) }
}
