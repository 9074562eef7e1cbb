import Foundation

/// The values of a `Progress` at one moment.
struct ProgressReading: Sendable {
    /// The bytes, and how fast they come.
    var progress = DownloadProgress()
    /// From 0 to 1.
    var fraction = 0.0
    var isFinished = false
    var isPaused = false
    var isCancelled = false
    var timeRemaining: Duration?
    var fileTotalCount = 0
    var fileCompletedCount = 0
    /// The finished file, of a single download.
    var file: URL?
}

/// The source of a `Progress`.
protocol ProgressSource: Sendable {
    /// The present values. Takes locks of downloads.
    var reading: ProgressReading { get }
    /// As in "Downloading file.zip".
    var title: String { get }
    func pause()
    func resume()
    func cancel()
    /// Ends the observation by the updater of a `Progress` that goes away.
    func remove(_ updater: ProgressUpdater)
}
