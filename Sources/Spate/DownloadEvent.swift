/// What ``Download/events`` and ``DownloadManager/events`` tell.
public enum DownloadEvent: Sendable {
    /// The download is now in this state.
    case state(DownloadState)
    /// More bytes have arrived; told at most ten times a second, and always once at the end.
    case progress(DownloadProgress)
}
