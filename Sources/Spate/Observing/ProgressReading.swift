import Foundation

/// What a `Progress` shows at one moment.
struct ProgressReading: Sendable {
    var completedBytes: Int64 = 0
    /// `nil` while it is not known.
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
    /// The file, where it is about one and that is there.
    var file: URL?

    /// For people, as ``DownloadProgress/description``.
    var text: String {
        DownloadProgress(receivedBytes: completedBytes, totalBytes: totalBytes, bytesPerSecond: bytesPerSecond)
            .description
    }
}

/// What a `Progress` is about.
protocol ProgressSource: Sendable {
    /// How it stands. Takes locks of downloads.
    var reading: ProgressReading { get }
    /// What is being done: "Downloading file.zip".
    var title: String { get }
    func pause()
    func resume()
    func cancel()
    /// Ends the observation by the updater of a `Progress` that goes away.
    func remove(_ updater: ProgressUpdater)
}
