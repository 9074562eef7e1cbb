public import Foundation
import SpateHTTPSyntax

/// Why a download, or a call to the library, failed.
public struct DownloadError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// What happened, for people, and what may help: "404 Not Found". One or two sentences, without the download's URL.
    ///
    /// It names a host only if that is not the URL's own, such as a mirror's. Use it where the URL is shown, too, and
    /// ``description`` elsewhere.
    public var message: String
    /// The URL of the download that failed, without the parts that may be secret: user, password and query. `nil` if the
    /// URL is invalid, and for a failure that is not a download's.
    public var url: URL?
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
    ///         print("\(next) at \(date): \(error.message)")  // try 2 of 6 at …
    ///     }
    public var nextTry: DownloadTry?
    /// What happened, without advice.
    var reason: String?
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

extension DownloadError: Equatable {
    /// Compares everything but ``underlying``, which may be any error.
    public static func == (left: DownloadError, right: DownloadError) -> Bool {
        left.code == right.code && left.message == right.message && left.url == right.url
            && left.isRetryable == right.isRetryable && left.keptPartialFile == right.keptPartialFile
            && left.statusCode == right.statusCode && left.nextTry == right.nextTry
    }
}

extension DownloadError: CustomStringConvertible, LocalizedError {
    /// The ``url`` and the ``message``: "https://example.org/file.zip: 404 Not Found".
    public var description: String { url.map { "\($0.absoluteString): \(message)" } ?? message }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// What happened, in a few words: "Connection refused", "503 Service Unavailable". `nil` for failures that need a
    /// sentence, and for errors that ``init(_:_:isRetryable:keptPartialFile:statusCode:underlying:)`` has made.
    public var failureReason: String? { reason }
}

extension DownloadError {
    /// This failure, as the one of a download of this URL, if that is valid.
    func of(_ enqueued: URL) -> DownloadError {
        var error = self
        error.url = (try? HTTPURL(enqueued.absoluteString)).flatMap { URL(string: "\($0.origin)\($0.path)") }
        return error
    }

    /// Adds a sentence to the message.
    mutating func add(_ sentence: String) {
        message = "\(message.asSentence) \(sentence)"
    }
}

extension String {
    /// With a full stop: a message that is a status alone has none.
    var asSentence: String { hasSuffix(".") ? self : self + "." }
}

/// Encoded as its raw value.
extension DownloadError.Code: Codable {}

/// Encoded by the names of its properties, without ``url``, ``nextTry``, ``failureReason`` and ``underlying``. Decoding requires the code and the message.
extension DownloadError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, message, isRetryable, keptPartialFile, statusCode
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Code.self, forKey: .code),
            try values.decode(String.self, forKey: .message),
            isRetryable: try values.decodeIfPresent(Bool.self, forKey: .isRetryable) ?? false,
            keptPartialFile: try values.decodeIfPresent(Bool.self, forKey: .keptPartialFile) ?? false,
            statusCode: try values.decodeIfPresent(Int.self, forKey: .statusCode)
        )
    }
}
