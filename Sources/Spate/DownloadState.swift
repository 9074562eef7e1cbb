public import Foundation

/// Where a download stands.
///
/// `finished`, `failed` and `cancelled` are ends: a download reaches exactly one of them, once, and stays there.
public enum DownloadState: Sendable {
    /// Nothing is under way; it goes on by itself.
    case waiting(WaitReason)
    /// An attempt is under way.
    case running
    /// Stopped by ``Download/pause()``; the bytes received so far are kept until it is resumed.
    case paused
    /// The whole file is at this place.
    case finished(URL)
    /// It was given up; the error says why, and whether another try can help.
    case failed(DownloadError)
    /// Stopped by ``Download/cancel()`` or by deletion.
    case cancelled

    /// Whether the download has ended: it is finished, failed or cancelled.
    public var isTerminal: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .waiting, .running, .paused: false
        }
    }

    /// The earlier name of ``isTerminal``.
    @available(*, deprecated, renamed: "isTerminal")
    public var isEnd: Bool { isTerminal }
}

/// What a waiting download waits for.
public enum WaitReason: Sendable {
    /// One of the places of ``DownloadManager/maxConcurrentDownloads``.
    case slot
    /// The time of its next attempt, after one that ended with this error. No place is held meanwhile.
    case retry(at: Date, after: DownloadError)
}
