import Spate

/// The downloads in a folder, from all runs.
struct FolderContent {
    let stored: [StoredDownload]
    /// Without a file yet.
    let waiting: [DownloadRequest]
    /// Without a partial file.
    let failures: [StoredFailure]
    /// The errors of partial files, by the keys of their URLs.
    private let errors: [String: DownloadError]

    var isEmpty: Bool { stored.isEmpty && waiting.isEmpty && failures.isEmpty }

    init(stored: [StoredDownload], waiting: [DownloadRequest], failures: [StoredFailure]) {
        (self.stored, self.waiting) = (stored, waiting)
        let partial = Set(stored.filter(\.isPartial).map { DownloadURL(stored: $0.url).key })
        let key = { (failure: StoredFailure) in DownloadURL(stored: failure.request.url).key }
        let begun = failures.filter { partial.contains(key($0)) }
        errors = Dictionary(begun.map { (key($0), $0.error) }) { _, last in last }
        self.failures = begun.isEmpty ? failures : failures.filter { !partial.contains(key($0)) }
    }

    /// - Throws: why the folder can't be read.
    init(of manager: DownloadManager) throws {
        self.init(
            stored: try manager.storedDownloads(),
            waiting: try manager.storedQueue(),
            failures: try manager.storedFailures()
        )
    }

    /// Why the download of a partial file failed.
    func error(of download: StoredDownload) -> DownloadError? {
        errors.isEmpty || !download.isPartial ? nil : errors[DownloadURL(stored: download.url).key]
    }
}
