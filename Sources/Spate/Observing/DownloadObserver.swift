/// An observer of downloads: a closure, a stream of events, a delegate, a `Progress`.
///
/// An observer is notified in two steps. It notes an event under the download's lock, to get the events of a download
/// in order. It acts on it after the lock is released, so that no user code runs under a lock.
protocol DownloadObserver: AnyObject, Sendable {
    /// Whether it uses this state, which is no end. Only such states are noted.
    func wants(_ state: DownloadState) -> Bool

    /// Notes an event. Called under the download's lock: it takes no download's lock, calls no user code and resumes no
    /// task.
    func note(_ event: DownloadEvent, of download: Download)

    /// Notes an end, the last of its download's states.
    func note(_ end: DownloadEnd, of download: Download)

    /// Counts a download of the observed manager. Called under the download's lock, like `note`, and also without an
    /// event.
    func count(_ new: DownloadSums.Share, insteadOf old: DownloadSums.Share)

    /// Notes that the manager is idle, after the event that made it so. Called under locks, like `note`.
    func noteIdle()

    /// Acts on the notes. Called with no lock held, by any thread; extra calls do no harm.
    func act()

    /// The manager is gone: nothing follows.
    func close()

    /// Whether it uses progress. If not, none is noted.
    var wantsProgress: Bool { get }

    /// Whether somebody waits for the download with it, so that a caller who no longer wants the file does not cancel it.
    var isUse: Bool { get }
}

extension DownloadObserver {
    func wants(_ state: DownloadState) -> Bool { true }

    func note(_ end: DownloadEnd, of download: Download) {
        note(.state(end.state), of: download)
    }

    func count(_ new: DownloadSums.Share, insteadOf old: DownloadSums.Share) {}

    func noteIdle() {}

    func close() {}

    var isUse: Bool { false }
}
