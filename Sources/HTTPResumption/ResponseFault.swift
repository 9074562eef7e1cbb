import SpateHTTPSyntax

/// Why a response cannot be used.
package struct ResponseFault: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// An error status.
        case status(Int)
        /// Neither an error nor a valid response to the request, such as 204, or 206 without a Range.
        case unexpectedStatus(Int)
        /// Content-Length fields that differ.
        case conflictingLengths
        /// A Content-Length that is not a number; holds its text.
        case invalidLength(String)
        /// A transfer coding other than chunked, which was not requested.
        case transferCoding(String)
        /// The Content-Length differs from the length of the Content-Range.
        case rangeLengthMismatch(contentLength: Int64, rangeLength: Int64)
        /// The size of the whole file differs from the expected one.
        case otherSize(expected: Int64, actual: Int64)
        /// The whole file is larger than the caller allows.
        case tooLarge(maximum: Int64, actual: Int64)
        /// A page for a browser in place of the rest of a file, or of a new version of it.
        case pageInstead
        /// Another source than the origin has another file, or cannot prove that it has the same one. Holds the reason.
        case otherSource(RestartCause)
        /// The download has restarted from zero for this cause, and it happened again.
        case repeatedRestart(RestartCause)
    }

    package let reason: Reason
    /// How many seconds the server asks to wait before a retry.
    package let retryAfter: Int64?

    package init(_ reason: Reason, retryAfter: Int64? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Whether the same request may succeed later.
    package var isRetryable: Bool {
        switch reason {
        case .status(let status): Self.isRetryable(status: status)
        case .rangeLengthMismatch, .pageInstead: true
        case .unexpectedStatus, .conflictingLengths, .invalidLength, .transferCoding, .otherSize, .tooLarge,
            .otherSource, .repeatedRestart:
            false
        }
    }

    /// Whether the end of this response is certain, so that its connection can be reused.
    package var trustsFraming: Bool {
        switch reason {
        case .conflictingLengths, .invalidLength, .transferCoding, .rangeLengthMismatch: false
        case .status, .unexpectedStatus, .otherSize, .tooLarge, .pageInstead, .otherSource, .repeatedRestart: true
        }
    }

    /// Whether to keep the partial file.
    package var keepsPartial: Bool { reason != .conflictingLengths }

    /// Timeouts, rate limits and server errors are temporary; other client errors are not.
    package static func isRetryable(status: Int) -> Bool {
        switch status {
        case 408, 425, 429, 500..<600: true
        default: false
        }
    }
}

extension ResponseFault: CustomStringConvertible {
    package var description: String {
        switch reason {
        case .status(let status): StatusPhrase.text(status) ?? "answered \(status)"
        case .unexpectedStatus(let status):
            "the server answered \(StatusPhrase.text(status) ?? "\(status)"), which is not valid for this request"
        case .conflictingLengths: "the server sent two different values of Content-Length"
        case .invalidLength(let text): "the server sent an invalid Content-Length: \(String(reflecting: text))"
        case .transferCoding(let coding):
            "the server sent the file in a transfer coding that was not requested: \(String(reflecting: coding))"
        case .rangeLengthMismatch(let length, let range):
            "the server sent a Content-Length of \(length) for a range of \(range) bytes"
        case .otherSize(let expected, let actual):
            "the file has \(actual) bytes on the server, not the expected \(expected)"
        case .tooLarge(let maximum, let actual): "the file has \(actual) bytes, more than the allowed \(maximum)"
        case .pageInstead: "the server answered with a web page instead of the file"
        case .otherSource(let cause): "this source does not show that it has the same file: \(cause)"
        case .repeatedRestart(let cause): "\(cause), even after a restart from the first byte"
        }
    }
}
