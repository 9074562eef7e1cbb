import Dispatch
import Locking

/// Has a `Progress` brought up to date on its queue, once for all that happened since the last time.
///
/// It is apart from the `Progress` because it is called under the lock of a download, and a `Progress` must not go away
/// there: it may be the last to hold a manager.
final class ProgressUpdater: DownloadListener {
    private let queue: DispatchQueue
    private let isPlanned = Locked(false)
    // Set once, before others know this object. It is unsafe only because the compiler wants weak references to vary.
    nonisolated(unsafe) weak var progress: LiveProgress?

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func plan() {
        let isNew = isPlanned.withLock { isPlanned in
            defer { isPlanned = true }
            return !isPlanned
        }
        guard isNew else { return }
        queue.async { [self] in
            isPlanned.withLock { $0 = false }
            progress?.update()
        }
    }

    func hear(_ event: DownloadEvent, of download: Download) {
        plan()
    }
}
