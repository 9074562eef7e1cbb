extension DownloadError {
    /// A kind of failure. New kinds may be added, so a `switch` over codes needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the code, such as `timedOut`.
        public var description: String { rawValue }

        /// The download was cancelled or deleted.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The URL is not absolute, has no host, or is malformed.
        public static let badURL = Code(rawValue: "badURL")
        /// The URL's scheme is neither `http` nor `https`.
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// A header cannot be sent: it has a forbidden character, or Spate sets it itself.
        public static let badHeader = Code(rawValue: "badHeader")
        /// The chosen file name cannot be used.
        public static let badFileName = Code(rawValue: "badFileName")
        /// The expected checksum is invalid, or cannot be computed on this machine; or there is none to repair a file by.
        public static let badChecksum = Code(rawValue: "badChecksum")
        /// A ``Metalink`` cannot be read.
        public static let badMetalink = Code(rawValue: "badMetalink")
        /// A different request for this URL has not ended.
        public static let conflict = Code(rawValue: "conflict")
        /// ``DownloadManager/Configuration-swift.struct/prepare`` threw an error: ``DownloadError/underlying``.
        public static let prepare = Code(rawValue: "prepare")
        /// The host name could not be resolved.
        public static let hostNotFound = Code(rawValue: "hostNotFound")
        /// The host refused the connection or was unreachable, or the connection broke.
        public static let connectionFailed = Code(rawValue: "connectionFailed")
        /// The ``AddressPolicy`` does not allow the address of the host, or does not allow a proxy.
        public static let addressNotAllowed = Code(rawValue: "addressNotAllowed")
        /// The proxy could not be reached or used, or refused the request; ``DownloadError/statusCode`` is its answer, if any.
        public static let proxy = Code(rawValue: "proxy")
        /// The TLS handshake failed, the server's certificate is not trusted, or it wants another of the client.
        public static let tls = Code(rawValue: "tls")
        /// Connecting took too long, no byte arrived for too long, or a limit of the program for time or speed was reached.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The server answered with an error status; see ``DownloadError/statusCode``.
        public static let httpStatus = Code(rawValue: "httpStatus")
        /// A redirect was not followed.
        public static let redirect = Code(rawValue: "redirect")
        /// The response violates HTTP, or contradicts earlier ones, so its bytes cannot be trusted.
        public static let badResponse = Code(rawValue: "badResponse")
        /// The file ended early, or is smaller than expected.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The file is larger than allowed or expected.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The whole file arrived, but its checksum is not the expected one; or a piece differs from its ``Metalink``.
        public static let checksumMismatch = Code(rawValue: "checksumMismatch")
        /// The server has another version of the finished file. Only ``DownloadManager/verify(_:)`` asks and reports it.
        public static let outdated = Code(rawValue: "outdated")
        /// The disk or the quota is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// Another file has this one's final name.
        public static let fileExists = Code(rawValue: "fileExists")
        /// The file was changed since it was finished: it has another size, or was written to. It is neither replaced nor
        /// deleted, and no second copy is fetched under another name.
        public static let fileChanged = Code(rawValue: "fileChanged")
        /// Another process or manager is downloading this file.
        public static let inUse = Code(rawValue: "inUse")
        /// The folder was moved, replaced or deleted during the download. The message says where the complete file is.
        public static let folderMoved = Code(rawValue: "folderMoved")
        /// The file system reported another error.
        public static let fileSystem = Code(rawValue: "fileSystem")
    }
}
