import Dispatch
import SpateLocking

/// Updates a `Progress` on its queue, once for all events since the last time.
///
/// Separate from the `Progress`, because observers hold it, and a `Progress` goes away with its user.
final class ProgressUpdater: DownloadObserver {
    private let queue: DispatchQueue
    private let isScheduled = Locked(false)
    /// What a manager's downloads count, for a `Progress` of all. It must not hold the manager, whose observers hold it.
    let tally = Locked(DownloadTally(), .observer)
    // Set once, before others know this object. Unsafe only because the compiler wants weak references to be `var`.
    nonisolated(unsafe) weak var progress: LiveProgress?

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    var wantsProgress: Bool { true }

    func note(_ event: DownloadEvent, of download: Download) {}

    func count(_ new: DownloadSums.Share, insteadOf old: DownloadSums.Share) {
        tally.withLock { $0.replace(old, by: new) }
    }

    func act() {
        let schedules = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard schedules else { return }
        queue.async { [self] in
            isScheduled.withLock { $0 = false }
            progress?.update()
        }
    }
}
