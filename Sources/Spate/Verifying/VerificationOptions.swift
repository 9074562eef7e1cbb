/// What ``DownloadManager/verify(_:)`` reads, and how.
public struct VerificationOptions: Sendable {
    /// The checksums that files must have, by name; by default none.
    ///
    /// They count before the checksums that Spate keeps. A name that has no file is ``VerificationResult/State/missing``.
    /// Files that Spate did not make are verified, too, also behind a link. A name is relative to the manager's folder
    /// and may lead into its subfolders, such as `disks/a.iso`, but not out of it.
    public var checksums: [String: Checksum] = [:]
    /// How many files are read at once; `nil`, the default, reads as many as there are processors. At least 1.
    public var maxConcurrentFiles: Int?
    /// Called on the manager's callback queue with what has been read so far, at most ten times a second, and at the
    /// end. By default `nil`.
    public var progress: (@Sendable (VerificationProgress) -> Void)?

    /// Creates options with the defaults.
    public init() {}
}

/// How far a verification is.
public struct VerificationProgress: Sendable, Hashable {
    /// How many results there are.
    public let files: Int
    /// How many bytes were read for them, and of the files that are being read.
    public let readBytes: Int64
}
