import SpateLocking
import SpateTiming

/// The wait before a retry. It keeps the download and its manager alive, because a download that waits for a retry has
/// not ended. It releases them when the retry is no longer wanted.
final class RetryTimer: Sendable {
    private let kept: Locked<(download: Download, manager: DownloadManager?)?>

    init(for download: Download, manager: DownloadManager?) {
        kept = Locked((download, manager))
    }

    /// Notifies the download when the time has come, unless the timer was cancelled before.
    func start(_ attempt: Int, after delay: Duration, on runtime: Runtime) {
        runtime.after(delay) { [self] in
            guard let (download, manager) = take() else { return }
            withExtendedLifetime(manager) { download.handle(.retryDue(attempt)) }
        }
    }

    func cancel() {
        _ = take()
    }

    private func take() -> (download: Download, manager: DownloadManager?)? {
        kept.withLock { kept in
            defer { kept = nil }
            return kept
        }
    }
}
