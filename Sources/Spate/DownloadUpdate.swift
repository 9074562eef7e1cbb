/// The result of a check for an update of a finished file.
///
/// See ``DownloadRequest/checksForUpdate``.
public enum DownloadUpdate: Sendable, Hashable {
    /// The server has the same file. Nothing on disk was touched.
    case unchanged
    /// The file was fetched again, and the new one has replaced the old one.
    case updated
}
