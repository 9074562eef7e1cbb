import Dispatch
import Locking

/// Brings a `Progress` up to date on its queue, once for all that happened since the last time.
///
/// It is apart from the `Progress` because observers hold it, and a `Progress` goes away with its user.
final class ProgressUpdater: DownloadObserver {
    private let queue: DispatchQueue
    private let isScheduled = Locked(false)
    // Set once, before others know this object. It is unsafe only because the compiler wants weak references to vary.
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
