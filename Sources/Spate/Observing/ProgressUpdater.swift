import Dispatch
import SpateLocking

/// Updates a `Progress` on its queue, once for all events since the last time.
///
/// Separate from the `Progress`, because observers hold it, and a `Progress` goes away with its user.
final class ProgressUpdater: DownloadObserver {
    private let queue: DispatchQueue
    private let isScheduled = Locked(false)
    // Set once, before others know this object. Unsafe only because the compiler wants weak references to be `var`.
    nonisolated(unsafe) weak var progress: LiveProgress?

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    var wantsProgress: Bool { true }

    func note(_ event: DownloadEvent, of download: Download) {}

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
