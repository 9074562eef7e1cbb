import Foundation

/// The values of a `Progress` at one moment.
struct ProgressReading: Sendable {
    var completedBytes: Int64 = 0
    /// `nil` while unknown.
    var totalBytes: Int64?
    /// From 0 to 1.
    var fraction = 0.0
    var isFinished = false
    var isPaused = false
    var isCancelled = false
    var bytesPerSecond = 0.0
    var timeRemaining: Duration?
    var fileTotalCount = 0
    var fileCompletedCount = 0
    /// The finished file, of a single download.
    var file: URL?

    /// For people, like ``DownloadProgress/description``.
    var text: String {
        DownloadProgress(receivedBytes: completedBytes, totalBytes: totalBytes, bytesPerSecond: bytesPerSecond)
            .description
    }
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
