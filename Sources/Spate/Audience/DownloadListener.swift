/// Who hears what happens to downloads: a reader of events, a delegate, a `Progress`.
protocol DownloadListener: AnyObject, Sendable {
    /// Called under the lock of the download, so that each listener hears its events in their order: it must be quick,
    /// and must ask the download nothing.
    func hear(_ event: DownloadEvent, of download: Download)

    /// The manager is gone, and nothing will follow.
    func close()
}

extension DownloadListener {
    func close() {}
}

/// A listener that goes when its user lets go of it.
struct WeakListener {
    weak var listener: (any DownloadListener)?
}
