import Dispatch
import Locking

/// The wait before a retry. It keeps the download and its manager alive, since a download that waits for a retry has not
/// ended; but no longer than the retry is wanted, however far away its time is.
final class RetryTimer: Sendable {
    /// Serial, because the threads of a serial queue are not taken from Dispatch's shared pool, which the program may
    /// block.
    static let queue = DispatchQueue(label: "spate.timers")

    private let kept: Locked<(download: Download, manager: DownloadManager?)?>

    init(for download: Download, manager: DownloadManager?) {
        kept = Locked((download, manager))
    }

    /// Tells the download when the time has come, unless the timer was cancelled before.
    func start(_ attempt: Int, after delay: Duration) {
        // Dispatch traps on a time that does not fit. A decade is as good as what nobody will wait for.
        Self.queue.asyncAfter(deadline: .now() + min(delay.inSeconds, 3e8)) { [self] in
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
