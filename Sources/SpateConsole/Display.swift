package import Spate

/// Shows the downloads during a run, to a person or to a program.
///
/// A run has one display and calls it from one queue. Failures are lines on standard error, whatever the display is. They
/// go through ``say(_:)``, so that a display that redraws can make room for them.
package protocol Display: AnyObject {
    /// Whether the display shows events. If not, it gets none, which costs less.
    var showsEvents: Bool { get }

    /// Whether the display shows retries, if it does not show events. They are passed to ``show(_:of:)`` as well.
    var showsRetries: Bool { get }

    /// The error number if its output can't be written any more. The run then stops.
    var outputError: Int32? { get }

    /// Shows an event of a download. The last event of each download is a terminal state.
    func show(_ event: DownloadEvent, of download: ShownDownload)

    /// Shows that another number of downloads may run at once.
    func show(_ change: ConcurrencyChange)

    /// Writes a line to standard error.
    func say(_ line: String, as tone: Tone)

    /// `started` downloads were enqueued, and `count` follow. If `listHasMore`, the list has not been read to its end.
    func expect(_ count: Int, after started: Int, listHasMore: Bool)

    /// The run is over. Only lines from ``say(_:as:)`` follow.
    ///
    /// - Parameter cure: the command that tries the failed downloads again.
    func finish(_ failures: FailureCounts, cure: String?)

    /// Whether ``finish(_:cure:)`` writes a summary with the failures.
    var hasSummary: Bool { get }

    /// The live part of the display, if it has one.
    var live: LiveDisplay? { get }
}

extension Display {
    package func say(_ line: String) { say(line, as: .plain) }
    package var showsRetries: Bool { showsEvents }
    package var outputError: Int32? { nil }
    package func show(_ change: ConcurrencyChange) {}
    var live: LiveDisplay? { nil }
    func expect(_ count: Int, after started: Int, listHasMore: Bool) {}
    func finish(_ failures: FailureCounts, cure: String?) {}
    var hasSummary: Bool { false }
}

/// What a line is about, for its colour.
package enum Tone {
    case plain, failure
}

/// What a display needs besides the event.
package struct ShownDownload {
    /// The number of the download in this run, from 0.
    package let number: Int
    /// The URL without credentials.
    package let url: String
    /// The name of its file, as far as it is known.
    package let name: String
    /// For the progress between two events.
    let download: Download?

    package var progress: DownloadProgress
    /// Of a finished download.
    package var remarks: [DownloadRemark] = []
    /// What came of a check for an update.
    package var update: DownloadUpdate?

    package init(
        number: Int,
        url: String,
        name: String,
        download: Download? = nil,
        progress: DownloadProgress = DownloadProgress()
    ) {
        (self.number, self.url, self.name) = (number, url, name)
        (self.download, self.progress) = (download, progress)
    }
}
