/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
    /// How much of the file is here, resumed bytes included. It never falls within an attempt and never exceeds
    /// ``totalBytes``.
    public var receivedBytes: Int64
    /// The size of the whole file; `nil` while it is not known.
    public var totalBytes: Int64?
    /// The speed over the last seconds; 0 when nothing moves.
    public var bytesPerSecond: Double

    /// A progress of one's own, for tests and previews. Nothing is checked.
    public init(receivedBytes: Int64 = 0, totalBytes: Int64? = nil, bytesPerSecond: Double = 0) {
        self.receivedBytes = receivedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
    }

    /// From 0 to 1; `nil` while the size is not known. An empty file is complete.
    public var fractionCompleted: Double? {
        guard let totalBytes else { return nil }
        return totalBytes > 0 ? min(Double(receivedBytes) / Double(totalBytes), 1) : 1
    }

    /// How long the rest takes at this speed; `nil` while size or speed are not known.
    public var timeRemaining: Duration? {
        guard let totalBytes else { return nil }
        guard totalBytes > receivedBytes else { return .zero }
        guard bytesPerSecond > 0 else { return nil }
        // A crawling download of a huge file must not overflow: beyond a century nobody counts.
        return .seconds(min((Double(totalBytes) - Double(receivedBytes)) / bytesPerSecond, 3_155_760_000))
    }
}

extension DownloadProgress: CustomStringConvertible {
    /// For people: "12.3 MB of 40 MB, 3.2 MB/s, 9 s left".
    public var description: String {
        var parts = [DownloadFormat.amount(receivedBytes, of: totalBytes)]
        if bytesPerSecond > 0 {
            parts.append(DownloadFormat.speed(bytesPerSecond))
        }
        if let timeRemaining, timeRemaining > .zero {
            parts.append("\(DownloadFormat.time(timeRemaining)) left")
        }
        return parts.joined(separator: ", ")
    }
}
