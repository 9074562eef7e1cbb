public import Foundation

/// What to download, and how.
public struct DownloadRequest: Sendable {
    /// The address; `http` or `https`. A user and password in it are used and never stored.
    public var url: URL
    /// The name of the file in its folder; `nil` takes the last part of the URL's path, made safe.
    ///
    /// A name that is chosen here is refused, not repaired, when it has a separator or a control character. Where a
    /// file of that name stands already that is not this download's, the download fails with
    /// ``DownloadError/Code/fileExists``; a name taken from the URL gives way and gets a short hash before its
    /// extension.
    public var fileName: String?
    /// The folder, made when needed; `nil` takes the manager's.
    public var directory: URL?
    /// Header fields to send, over those of the configuration.
    ///
    /// When a redirect leads to another scheme, host or port, `Authorization`, `Cookie` and every field named in
    /// ``privateHeaders``, or whose name speaks of a token, key, secret or the like, stays behind.
    public var headers: [String: String]
    /// Names of ``headers`` that must not travel to another origin. Letter case doesn't matter.
    public var privateHeaders: Set<String>
    /// Its rank among those that wait for a place: normal unless set. What runs already is not interrupted for it.
    public var priority: Operation.QueuePriority
    /// The size that the file must have, where it is known; another one fails with ``DownloadError/Code/incomplete`` or
    /// ``DownloadError/Code/tooLarge``.
    public var expectedBytes: Int64?
    /// The most that is accepted; `nil` takes any size. More fails with ``DownloadError/Code/tooLarge``, before the body
    /// where the server tells the size.
    public var maximumBytes: Int64?
    /// The SHA-256 of the file in hexadecimal, where it is known; a file with another one is not put in place, and the
    /// download fails with ``DownloadError/Code/checksumMismatch``.
    public var sha256: String?
    /// Whether a file that stands at the final place may be replaced, and a finished one is fetched anew; false unless
    /// set. A folder is never replaced.
    public var replacesExistingFile: Bool
    /// Whether a redirect from `https` to `http` is followed; false unless set, and the download fails with
    /// ``DownloadError/Code/redirect``.
    public var allowsInsecureRedirects: Bool

    /// A request for this address with everything else left to the manager.
    public init(_ url: URL) {
        self.url = url
        self.fileName = nil
        self.directory = nil
        self.headers = [:]
        self.privateHeaders = []
        self.priority = .normal
        self.expectedBytes = nil
        self.maximumBytes = nil
        self.sha256 = nil
        self.replacesExistingFile = false
        self.allowsInsecureRedirects = false
    }
}
