public import Foundation

/// The state of a download.
///
/// A download ends exactly once, as `finished`, `failed` or `cancelled`, and stays there.
public enum DownloadState: Sendable, Equatable {
    /// Waiting for a slot, for its host or for a retry. It continues by itself.
    case waiting(WaitReason)
    /// An attempt is running.
    case running
    /// Paused by ``Download/pause()``. It holds no slot, and its partial file is kept.
    case paused
    /// The complete file is at this URL.
    case finished(URL)
    /// Failed. The error says why, and whether a retry can help.
    indirect case failed(DownloadError)
    /// Cancelled by ``Download/cancel()``, or deleted.
    case cancelled

    /// Whether it waits, for whatever reason. It continues by itself.
    public var isWaiting: Bool { if case .waiting = self { true } else { false } }

    /// Whether an attempt is running.
    public var isRunning: Bool { if case .running = self { true } else { false } }

    /// Whether it is paused. It continues only by ``Download/resume()``, or when its URL is enqueued again.
    public var isPaused: Bool { if case .paused = self { true } else { false } }

    /// Whether the complete file is on disk.
    public var isFinished: Bool { if case .finished = self { true } else { false } }

    /// Whether it ended with an error. A cancelled download did not: see ``isCancelled``.
    public var isFailed: Bool { if case .failed = self { true } else { false } }

    /// Whether it was cancelled or deleted.
    public var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    /// Whether the download has ended: it is finished, failed or cancelled.
    public var isTerminal: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waiting, .running, .paused: false
        }
    }
}

/// Why a download waits.
public enum WaitReason: Sendable, Equatable {
    /// It waits for one of the ``DownloadManager/maxConcurrentDownloads`` slots.
    case slot
    /// Its host has ``DownloadManager/Configuration-swift.struct/maxConnectionsPerHost`` connections, or has refused
    /// requests and asked to wait. It holds no slot meanwhile, and others pass. ``Download/resume()`` tries even if the host
    /// has asked to wait.
    case host
    /// It waits for its next attempt, after a failed one with this error. It holds no slot until then.
    indirect case retry(at: Date, after: DownloadError)
    /// All bytes have come. The download ends when the file and its final name are on disk, and holds no slot. Few wait
    /// at a time: while a disk is slower than the network, the others keep their slots and are running until then.
    case disk
}

extension DownloadState {
    /// How the download, whose state this is, has ended; `nil` if it has not.
    func result(of download: Download) -> Result<URL, DownloadError>? {
        switch self {
        case .finished(let file): .success(file)
        case .failed(let error): .failure(error)
        case .cancelled: .failure(download.cancellation)
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
