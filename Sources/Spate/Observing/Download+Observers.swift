import Foundation
import SpateLocking
import SpateTiming

/// The observers of a download.
extension Download {
    /// Adds an observer; false if the download has ended.
    func add(_ observer: any DownloadObserver) -> Bool {
        core.withLock { core in
            if core.machine.hasEnded { return false }
            core.observers.append(observer)
            return true
        }
    }

    func remove(_ observer: any DownloadObserver) {
        let removed = core.withLock { core in
            core.observers.firstIndex { $0 === observer }.map { core.observers.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    /// Calls a closure with the present state and how the download counts, before any later one can be noted.
    func present(_ body: (DownloadState, DownloadSums.Share, inout [any DownloadObserver]) -> Void) {
        core.withLock { core in
            if !core.machine.hasEnded { core.count(of: self, now: core.runtime.now) }
            body(core.machine.state, core.share, &core.observers)
        }
    }

    /// Calls a closure with the end: at once if the download has ended, else on the thread that ends it, when the
    /// manager has forgotten the download and no lock is held.
    func whenEnded(_ handle: @escaping @Sendable (Result<URL, DownloadError>) -> Void) {
        if add(EndObserver(handle: handle)) { return }
        if let result { handle(result) }
    }
}
