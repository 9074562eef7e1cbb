import Locking

/// An attempt that waits for a place. It keeps the manager alive: what was enqueued is finished, though nobody holds
/// the manager any more.
struct QueuedAttempt: Sendable {
    let download: Download
    let attempt: DownloadMachine.AttemptID
    let manager: DownloadManager

    /// Whether the download still waits for it; it may have been paused or cancelled meanwhile.
    var isWanted: Bool { download.core.withLock { $0.machine.awaits(attempt) } }

    /// Its operation, made now unless somebody has asked for it before; `nil` when it is no longer wanted.
    var operation: DownloadOperation? { download.operation(for: attempt, of: manager) }
}
