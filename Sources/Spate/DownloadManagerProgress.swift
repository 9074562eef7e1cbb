/// How far all downloads of a manager are together, and how fast.
///
/// Covers everything that was enqueued since the manager was last idle, and the downloads that were paused then.
/// Cancelled and deleted downloads do not count. The counts stay after the end, until something is enqueued.
public struct DownloadManagerProgress: Sendable, Hashable {
    /// How many downloads have finished, including files that already existed.
    public var finishedCount: Int
    /// How many downloads have failed.
    public var failedCount: Int
    /// How many downloads there are: finished, failed and unfinished.
    public var totalCount: Int
    /// The number of bytes on disk, of finished and unfinished files, including bytes of earlier attempts.
    ///
    /// It falls when a file has to be fetched again from the start, and when a download fails or is cancelled: its
    /// bytes no longer count.
    public var receivedBytes: Int64
    /// The size of all files except failed ones; `nil` while one of them is unknown. ``DownloadRequest/expectedBytes``
    /// counts as known.
    public var totalBytes: Int64?
    /// The received bytes per second, over the last five seconds; 0 while nothing is queued, running or waiting for a
    /// retry.
    public var bytesPerSecond: Double
    /// How long the unpaused rest takes at this speed; `nil` while the speed or all sizes are unknown.
    ///
    /// It is an estimate while ``totalBytes`` is `nil`: a file that nobody has asked for yet counts as the mean of the
    /// known sizes. A file that was asked for and has no size, because its server has not answered or states none, does
    /// not count: nobody knows when it ends. It is never shorter than the time that a running download takes at its own
    /// speed.
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
