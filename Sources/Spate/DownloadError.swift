public import Foundation

/// Why a download, or a call to the library, failed.
public struct DownloadError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// One or two sentences for people: what happened, and what may help.
    public var message: String
    /// Whether the same request may succeed later, unchanged.
    ///
    /// A download that fails with a retryable error has already been retried as its ``RetryPolicy`` says.
    public var isRetryable: Bool
    /// Whether the partial file was kept, so that the next attempt resumes from it.
    public var keptPartialFile: Bool
    /// The HTTP status that caused the failure; `nil` if no status did.
    public var statusCode: Int?
    /// The try that follows this failure, in ``WaitReason/retry(at:after:)``; `nil` if none does.
    ///
    ///     if case .waiting(.retry(let date, let error)) = download.state, let next = error.nextTry {
    ///         print("\(next) at \(date): \(error)")  // try 2 of 6 at …
    ///     }
    public var nextTry: DownloadTry?
    /// The error that caused this one, for logs; `nil` if there is none. Its type may change between versions.
    public var underlying: (any Error)?

    /// Creates an error, for tests and for stand-ins of a download. The values are not checked.
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
