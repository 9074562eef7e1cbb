/// How much of a file has arrived, and how fast.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes on disk, including those of earlier attempts.
    ///
    /// It never decreases within an attempt and never exceeds ``totalBytes``.
    public var receivedBytes: Int64
    /// The size of the complete file; `nil` while it is unknown.
    public var totalBytes: Int64?
    /// The speed over the last seconds; 0 if no bytes arrive.
    public var bytesPerSecond: Double
    /// How many connections fetch the file; 0 while none does.
    public var connectionCount: Int

    /// Creates a progress, for tests and previews. The values are not checked.
    public init(
        receivedBytes: Int64 = 0,
        totalBytes: Int64? = nil,
        bytesPerSecond: Double = 0,
        connectionCount: Int = 0
    ) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.connectionCount = connectionCount
    }

    /// The part of the file that has arrived, from 0 to 1; `nil` while the size is unknown. 1 for an empty file.
    public var fractionCompleted: Double? {
        guard let totalBytes else { return nil }
        return totalBytes > 0 ? min(Double(receivedBytes) / Double(totalBytes), 1) : 1
    }

    /// How long the rest takes at this speed; `nil` while the size or the speed is unknown.
    public var timeRemaining: Duration? {
        guard let totalBytes else { return nil }
        guard totalBytes > receivedBytes else { return .zero }
        guard bytesPerSecond > 0 else { return nil }
        // At most a century: a slow download of a huge file must not overflow.
        return .seconds(min((Double(totalBytes) - Double(receivedBytes)) / bytesPerSecond, 3_155_760_000))
    }
}

extension DownloadProgress: CustomStringConvertible {
    /// For people: "12.3 MB of 40 MB, 3.2 MB/s, 9 s left", with the number of connections if there are several.
    public var description: String {
        var parts = [DownloadFormat.amount(receivedBytes, of: totalBytes)]
        if bytesPerSecond > 0 {
            parts.append(DownloadFormat.speed(bytesPerSecond))
        }
        if let timeRemaining, timeRemaining > .zero {
            parts.append("\(DownloadFormat.time(timeRemaining)) left")
        }
        if connectionCount > 1 { parts.append("\(connectionCount) connections") }
        return parts.joined(separator: ", ")
    }
}
