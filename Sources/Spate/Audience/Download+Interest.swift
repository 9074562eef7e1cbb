import Foundation
import Locking

extension Download {
    /// Has the end told to this closure: at once when it is there already, else by the thread that brings it about,
    /// when the manager has forgotten the download and no lock is held.
    func whenEnded(_ ending: @escaping @Sendable (Result<URL, DownloadError>) -> Void) {
        let result = core.withLock { core in
            if core.result == nil { core.add(ending: ending) }
            return core.result
        }
        if let result { ending(result) }
    }

    /// One of those who enqueued it wants it no longer. When that was the last, the download ends as cancelled.
    func withdraw() {
        perform { core in
            core.askers -= 1
            return core.askers > 0 ? [] : core.machine.handle(.cancel)
        }
    }
}
