/// An event of a download, from ``Download/events`` and ``DownloadManager/events``.
public enum DownloadEvent: Sendable, Equatable {
    /// The download is now in this state.
    case state(DownloadState)
    /// The download has made progress. Delivered at most ten times a second, and once more at the end.
    case progress(DownloadProgress)
}
