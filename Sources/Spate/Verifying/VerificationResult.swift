public import Foundation
import HTTPSyntax
import PartialFiles

/// What a verification has found out about one file.
public struct VerificationResult: Sendable {
    /// Whether a file is as it was when it was finished.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Its bytes have the expected checksum.
        case verified
        /// It has the size that it was finished with. No checksum of it is known, so its bytes were not read.
        case sizeOnly
        /// Its bytes have another checksum.
        case damaged
        /// It has another size than it was finished with, or was written to since. It counts as its user's now, and is
        /// never replaced unless a request says so.
        case changed
        /// ``VerificationOptions/checksums`` has its name, and there is no such file.
        case missing
        /// A partial file, which no download is writing now.
        case partial
        /// A partial file that is being downloaded now, in this process or another.
        case running
        /// It could not be checked: see ``VerificationResult/error``.
        case failed
    }

    /// The outcome.
    public internal(set) var state: State
    /// The URL that the file was downloaded from, without user and password; `nil` if Spate did not make it.
    public internal(set) var url: URL?
    /// The size of the file now; of a partial file, how much is there. `nil` if it is missing or cannot be read.
    public internal(set) var size: Int64?
    /// The size of the whole file; `nil` if it is unknown.
    public internal(set) var expectedSize: Int64?
    /// The checksum of its bytes now; `nil` if they were not read.
    public internal(set) var checksum: Checksum?
    /// The checksum that it must have; `nil` if none is known.
    public internal(set) var expectedChecksum: Checksum?
    /// What is wrong with the file, or why it could not be checked; `nil` if nothing is.
    public internal(set) var error: DownloadError?
    /// The request that fetches a damaged file anew; `nil` if nothing is damaged, or if Spate did not make the file.
    ///
    /// It demands ``expectedChecksum``, so the damaged file stays until the right one is complete. Add what the server
    /// wants and Spate never stores: headers, or a user and password.
    public internal(set) var repair: DownloadRequest?

    /// Whether the file is not what it should be, or could not be checked. A partial file is not bad.
    public var isBad: Bool { error != nil }

    init(_ state: State, error: DownloadError? = nil) {
        (self.state, self.error) = (state, error)
    }

    /// The given list has a name without a file.
    init(missing path: String, _ expected: Checksum) {
        self = VerificationResult(.missing, error: .missing(path))
        expectedChecksum = expected
    }

    /// A partial file.
    init(_ file: StoredFile) {
        self = VerificationResult(file.isInUse ? .running : .partial)
        (url, size, expectedSize) = (URL(string: file.origin.text), file.size, file.total)
    }

    /// A final file that was not read yet.
    ///
    /// - Parameter isGiven: whether a checksum was given. It decides, whoever wrote to the file.
    init(_ file: FinalFile, isGiven: Bool, at path: String) {
        self = VerificationResult(.sizeOnly)
        (url, size, expectedSize) = (URL(string: file.origin.text), file.size, file.total)
        guard file.isWritten, !isGiven else { return }
        state = .changed
        error = file.size == file.total ? .written(path) : .otherSize(path, file.size, finished: file.total)
    }

    /// The file has been read.
    mutating func compare(_ found: Checksum, _ expected: Checksum, at path: String) {
        (checksum, expectedChecksum) = (found, expected)
        state = found == expected ? .verified : .damaged
        if found != expected { error = .damaged(path, found: found, expected) }
    }

    /// The final file has been read.
    ///
    /// - Parameter folder: its folder, if it is not the manager's.
    mutating func compare(
        _ found: Checksum,
        _ expected: Checksum,
        of file: FinalFile,
        in folder: URL?,
        at path: String
    ) {
        compare(found, expected, at: path)
        guard state == .damaged else { return }
        if file.isWritten {
            state = .changed
        } else if let url {
            var request = DownloadRequest(url, directory: folder, checksum: expected)
            switch file.naming {
            case .explicit(let name): request.fileName = name.text
            case .stated: request.naming = .server
            case .derived: break
            }
            repair = request
        }
    }
}
