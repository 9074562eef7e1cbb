/// What observes downloads: a closure, a stream of events, a delegate, a `Progress`.
///
/// An observer is notified in two steps. It notes an event under the download's lock, so that it gets the events of a
/// download in their order. It acts on it when the lock is released, so that nothing of the user's runs under a lock.
protocol DownloadObserver: AnyObject, Sendable {
    /// Notes an event. Called under the download's lock: it takes no download's lock, calls nothing of the user's and
    /// resumes no task.
    func note(_ event: DownloadEvent, of download: Download)

    /// Notes how a download stands that was there before the observer.
    func notePresent(_ state: DownloadState, _ progress: DownloadProgress, of download: Download)

    /// Notes that the manager is idle, after the event that made it so. Called under locks, as `note`.
    func noteIdle()

    /// Acts on what was noted. Called with no lock held, by any thread; more calls than events do no harm.
    func act()

    /// The manager is gone: nothing follows.
    func close()

    /// Whether progress is of use to it.
    var wantsProgress: Bool { get }
}

extension DownloadObserver {
    func notePresent(_ state: DownloadState, _ progress: DownloadProgress, of download: Download) {
        note(.state(state), of: download)
    }

    func noteIdle() {}

    func close() {}
}
