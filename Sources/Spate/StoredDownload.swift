public import Foundation

/// What a folder holds of one download: a finished file or a partial one.
///
/// Encoded by the names of its properties; a size that is not known is left out.
public struct StoredDownload: Sendable, Hashable, Codable {
    /// Where it came from, without user and password.
    public let url: URL
    /// Where the finished file is, or will be.
    public let file: URL
    /// How many bytes are on disk.
    public let receivedBytes: Int64
    /// The size of the whole file, where it is known.
    public let totalBytes: Int64?
    /// Whether it is whole.
    public let isFinished: Bool
    /// Whether a download writes to it at this moment, in this process or another.
    public let isInUse: Bool
}
