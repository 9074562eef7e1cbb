public import Foundation

/// Why a download, or a call, failed.
public struct DownloadError: Error, Sendable {
    /// What kind of failure it is.
    public var code: Code
    /// One sentence or two: what happened, and what would help.
    public var message: String
    /// Whether the same request may succeed later as it is. A download that failed with such an error has been tried again
    /// before, as its ``RetryPolicy`` says.
    public var isRetryable: Bool
    /// Whether bytes of the file are kept, so that the next try goes on from there.
    public var keptPartialFile: Bool
    /// The HTTP status, where one was received that is the reason.
    public var statusCode: Int?
    /// What lies beneath, where something does. For logs: its type is not part of the interface.
    public var underlying: (any Error)?

    /// An error of one's own, for tests and for what stands in for a download. Nothing is checked.
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
