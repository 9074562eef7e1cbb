public import Foundation
import SpateFilePaths

/// What ``DownloadManager/verify(_:)`` reads, and how.
public struct VerificationOptions: Sendable {
    /// The checksums that files must have, by name; by default none.
    ///
    /// They count before the checksums that Spate keeps. A name that has no file is ``VerificationResult/State/missing``.
    /// Files that Spate did not make are verified, too, also behind a link. A name is relative to the manager's folder
    /// and may lead into its subfolders, such as `disks/a.iso`, but not out of it.
    ///
    /// Keys are equal if they look the same. For names that do, but have other bytes, see ``setChecksum(_:of:)``.
    public var checksums: [String: Checksum] = [:]
    private var named: [FilePath: Checksum] = [:]
    /// Makes the request that asks a file's server whether it still has this version; `nil`, the default, sends none.
    ///
    ///     options.onlineRequest = { url in DownloadRequest(url, headers: ["Authorization": token]) }
    ///
    /// It is called with the URL of each file that is whole, as far as the disk shows. The request carries the file's
    /// ETag or date and goes the way of a download, with the manager's retries, limits and
    /// ``DownloadManager/Configuration-swift.struct/prepare``, but fetches nothing: what the closure says about names,
    /// folders, sizes, checksums and mirrors is ignored. It keeps the URL, which says which file is meant; `prepare` may
    /// send the request elsewhere. If the server has another version, the file is
    /// ``VerificationResult/State/outdated``. If it cannot be asked, it is ``VerificationResult/State/failed``.
    public var onlineRequest: (@Sendable (URL) -> DownloadRequest)?
    /// How many files are read at once; `nil`, the default, reads as many as there are processors. At least 1.
    public var maxConcurrentFiles: Int?
    /// Called on the manager's callback queue with what has been read so far, at most ten times a second, and at the
    /// end. By default `nil`.
    public var progress: (@Sendable (VerificationProgress) -> Void)?

    /// Creates options with the defaults.
    public init() {}

    /// Sets the checksum that a file must have, like ``checksums``, and before those.
    ///
    /// Linux tells names apart by their bytes. So one folder may have `é` twice, as one scalar and as two, and this tells
    /// both apart; as strings they are equal.
    public mutating func setChecksum(_ checksum: Checksum, of name: String) {
        named[FilePath(name)] = checksum
    }

    var allChecksums: [FilePath: Checksum] {
        var all = named
        for (name, checksum) in checksums where all[FilePath(name)] == nil { all[FilePath(name)] = checksum }
        return all
    }
}

/// How far a verification is.
public struct VerificationProgress: Sendable, Hashable {
    /// How many results there are.
    public let files: Int
    /// How many bytes were read for them, and of the files that are being read.
    public let readBytes: Int64
}
