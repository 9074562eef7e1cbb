import Dispatch
import Locking

/// The wait before a retry. It keeps the download and its manager alive, for a download that waits is not over; but no
/// longer than it is wanted, be the time as far away as it may.
final class RetryWait: Sendable {
    private let kept: Locked<(download: Download, manager: DownloadManager?)?>

    init(for download: Download, manager: DownloadManager?) {
        kept = Locked((download, manager))
    }

    /// Feeds the download `retryDue` with this identity when the time has come, unless it was cancelled before.
    func begin(_ attempt: DownloadMachine.AttemptID, after delay: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + delay.inSeconds) { [self] in
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
