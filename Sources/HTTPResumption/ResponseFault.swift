/// Why a response is of no use.
package struct ResponseFault: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// An error status.
        case status(Int)
        /// 16, 31: a status that is no error and yet no answer to what was asked.
        case unexpectedStatus(Int)
        /// 7
        case conflictingLengths
        /// 9: what stood there instead of a number.
        case invalidLength(String)
        /// Not the file's bytes but some coding of them for the way, which was not asked for.
        case transferCoding(String)
        /// 27
        case rangeLengthMismatch(contentLength: Int64, rangeLength: Int64)
        /// 18: the whole has another size than the caller expects.
        case otherSize(expected: Int64, actual: Int64)
        /// The whole is larger than the caller allows.
        case tooLarge(maximum: Int64, actual: Int64)
        /// Fetched from zero already, and the cause is there again.
        case restartedInVain(RestartCause)
    }

    package let reason: Reason
    /// The seconds that the server wants to be left alone; of use only where trying again is.
    package let retryAfter: Int64?

    package init(_ reason: Reason, retryAfter: Int64? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Whether the same request may fare better later.
    package var isRetryable: Bool {
        switch reason {
        case .status(let status): Self.isRetryable(status: status)
        case .rangeLengthMismatch: true
        case .unexpectedStatus, .conflictingLengths, .invalidLength, .transferCoding, .otherSize, .tooLarge,
            .restartedInVain:
            false
        }
    }

    /// Whether anybody can tell where this response ends and, on the same connection, the next one begins.
    package var trustsFraming: Bool {
        switch reason {
        case .conflictingLengths, .invalidLength, .transferCoding, .rangeLengthMismatch: false
        case .status, .unexpectedStatus, .otherSize, .tooLarge, .restartedInVain: true
        }
    }

    /// Whether the bytes on disk stay of use.
    package var keepsPartial: Bool { reason != .conflictingLengths }

    /// 85, 86
    static func isRetryable(status: Int) -> Bool {
        switch status {
        case 408, 425, 429, 500..<600: true
        default: false
        }
    }
}

extension ResponseFault: CustomStringConvertible {
    package var description: String {
        switch reason {
        case .status(let status): "the server answered with status \(status)"
        case .unexpectedStatus(let status):
            "the server answered with status \(status), which is no answer to the request"
        case .conflictingLengths: "the server named two different lengths for one response"
        case .invalidLength(let text): "the server named a length that is no number: \(String(reflecting: text))"
        case .transferCoding(let coding):
            "the server sent the file in a transfer coding that was not asked for: \(String(reflecting: coding))"
        case .rangeLengthMismatch(let length, let range):
            "the server announced \(length) bytes for a range of \(range) bytes"
        case .otherSize(let expected, let actual):
            "the file has \(actual) bytes on the server, not the expected \(expected)"
        case .tooLarge(let maximum, let actual): "the file has \(actual) bytes, more than the allowed \(maximum)"
        case .restartedInVain(let cause): "\(cause), even after a fresh start"
        }
    }
}
