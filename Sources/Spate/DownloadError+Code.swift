extension DownloadError {
    /// The kinds of failure: a set that may grow, so a `switch` over it needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the code.
        public var description: String { rawValue }

        /// The download was cancelled or deleted.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The text is not a URL with a host.
        public static let badURL = Code(rawValue: "badURL")
        /// The URL's scheme is neither `http` nor `https`.
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// A header field's name or value can't be sent, for it has a line break or another forbidden character.
        public static let badHeader = Code(rawValue: "badHeader")
        /// A chosen file name can't be used.
        public static let badFileName = Code(rawValue: "badFileName")
        /// A checksum given is not one.
        public static let badChecksum = Code(rawValue: "badChecksum")
        /// The host's name has no address.
        public static let hostNotFound = Code(rawValue: "hostNotFound")
        /// The host refused the connection, was out of reach, or the connection broke.
        public static let connectionFailed = Code(rawValue: "connectionFailed")
        /// The secure connection could not be made or trusted.
        public static let tls = Code(rawValue: "tls")
        /// Connecting took too long, or nothing arrived for too long.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The server answered with a status that is no success.
        public static let httpStatus = Code(rawValue: "httpStatus")
        /// A redirect could not be followed.
        public static let redirect = Code(rawValue: "redirect")
        /// The response breaks HTTP in a way that makes its bytes untrustworthy.
        public static let badResponse = Code(rawValue: "badResponse")
        /// The file ended before its length.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The file is larger than allowed or expected.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The whole file arrived and its checksum is another one.
        public static let checksumMismatch = Code(rawValue: "checksumMismatch")
        /// The disk or the quota is full.
        public static let diskFull = Code(rawValue: "diskFull")
        /// Another file stands where this one should go.
        public static let fileExists = Code(rawValue: "fileExists")
        /// Another process or manager is downloading this file.
        public static let inUse = Code(rawValue: "inUse")
        /// The file system refused something else.
        public static let fileSystem = Code(rawValue: "fileSystem")
    }
}
