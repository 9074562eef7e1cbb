public import Foundation

/// Why a download, or a call, failed.
public struct DownloadError: Error, Sendable {
    /// What kind of failure it is.
    public var code: Code
    /// One sentence or two: what happened, and what would help.
    public var message: String
    /// Whether the same request may succeed later as it is.
    public var isRetryable: Bool
    /// Whether bytes of the file are kept, so that the next try goes on from there.
    public var keptPartialFile: Bool
    /// The HTTP status, where one was received.
    public var statusCode: Int?
    /// What lies beneath, where something does.
    public var underlying: (any Error)?

    public init(
        _ code: Code,
        _ message: String,
        isRetryable: Bool = false,
        keptPartialFile: Bool = false,
        statusCode: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.isRetryable = isRetryable
        self.keptPartialFile = keptPartialFile
        self.statusCode = statusCode
        self.underlying = underlying
    }
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// The same as ``message``.
    public var description: String { message }
    /// The same as ``message``.
    public var errorDescription: String? { message }
}
