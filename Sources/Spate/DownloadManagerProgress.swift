/// How far all downloads of a manager are together, and how fast.
///
/// It is about everything that was enqueued since the manager was last idle, and about what was paused then. Downloads that
/// were cancelled or deleted leave it. The counts stay after the end, until something is enqueued.
public struct DownloadManagerProgress: Sendable, Hashable {
    /// How many downloads have finished, those among them whose file was there already.
    public var finishedCount: Int
    /// How many downloads have failed.
    public var failedCount: Int
    /// How many downloads there are: finished, failed, and those that have not ended.
    public var totalCount: Int
    /// The number of bytes on disk, of finished files and of those that are under way, including those of earlier attempts.
    ///
    /// It falls when a file has to be fetched again from the start, and when a download fails or is cancelled: what that
    /// has brought no longer counts.
    public var receivedBytes: Int64
    /// The size of all files but the failed ones; `nil` while one of them is unknown. ``DownloadRequest/expectedBytes``
    /// counts as known.
    public var totalBytes: Int64?
    /// How many bytes arrived in a second, over the last five seconds; 0 while nothing is queued, running or waiting for a
    /// retry.
    public var bytesPerSecond: Double
    /// How long all takes at this speed that is not paused; `nil` while the speed is unknown, and while no size is known.
    ///
    /// For sizes that are not known it assumes the mean of the known ones. It is never shorter than the time that a running
    /// download takes by its own speed.
    public var timeRemaining: Duration?

    /// Creates a progress, for tests and previews. The values are not checked.
    public init(
        finishedCount: Int = 0,
        failedCount: Int = 0,
        totalCount: Int = 0,
        receivedBytes: Int64 = 0,
        totalBytes: Int64? = nil,
        bytesPerSecond: Double = 0,
        timeRemaining: Duration? = nil
    ) {
        self.finishedCount = finishedCount
        self.failedCount = failedCount
        self.totalCount = totalCount
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.timeRemaining = timeRemaining
    }
}

extension DownloadManagerProgress: CustomStringConvertible {
    /// For people: "3 of 10 files, 12.3 MB of 40 MB, 3.2 MB/s, 9 s left, 1 failed".
    public var description: String {
        var parts = ["\(finishedCount) of \(totalCount) \(totalCount == 1 ? "file" : "files")"]
        parts.append(DownloadFormat.amount(receivedBytes, of: totalBytes))
        if bytesPerSecond > 0 { parts.append(DownloadFormat.speed(bytesPerSecond)) }
        if let timeRemaining, timeRemaining > .zero { parts.append("\(DownloadFormat.time(timeRemaining)) left") }
        if failedCount > 0 { parts.append("\(failedCount) failed") }
        return parts.joined(separator: ", ")
    }
}
