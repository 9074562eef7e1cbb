/// The result of a check for an update of a finished file, or of a repair.
///
/// See ``DownloadRequest/checksForUpdate`` and ``DownloadManager/repair(_:from:)``.
public enum DownloadUpdate: Sendable, Hashable {
    /// The server has the same file, or the file is right. Nothing on disk was touched.
    case unchanged
    /// The file was fetched again or repaired, and the new one has replaced the old one.
    case updated
}
