/// Something about the file received that its user may want to know, though nothing failed.
public enum DownloadRemark: Sendable, Hashable, CustomStringConvertible {
    /// The server told no length and closed the connection in the end: nothing proves that the file is whole.
    case lengthNotVerified
    /// The server encoded the content (with `gzip`, for instance) although it was asked not to; the file holds the
    /// bytes as they came.
    case contentEncoding(String)
    /// The server does not continue a file in the middle: an interruption starts it over.
    case notResumable

    /// One sentence for people.
    public var description: String {
        switch self {
        case .lengthNotVerified:
            "The server told no length, so nothing proves that the file is whole; give its size or SHA-256 to be sure."
        case .contentEncoding(let name):
            "The file is stored as the server sent it, encoded with \(name); it may have to be decoded before use."
        case .notResumable: "The server cannot continue a file in the middle; an interruption starts it over."
        }
    }
}
