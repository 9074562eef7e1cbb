/// A failed download, as kept in a folder.
///
/// Encoded by the names of its properties.
public struct StoredFailure: Sendable, Codable {
    /// The request, without headers, user and password, which are never stored. To try again, add these and enqueue it.
    public let request: DownloadRequest
    /// The last error, without ``DownloadError/underlying``. A long message is cut.
    public let error: DownloadError

    /// Creates a failure, for tests of code that handles them.
    public init(request: DownloadRequest, error: DownloadError) {
        (self.request, self.error) = (request, error)
    }
}
