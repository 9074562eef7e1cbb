public import Foundation
import SpateHTTPSyntax
import SpatePartialFiles

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
        /// It has another size than it was finished with, or was written to since. It stays as it is unless a request
        /// says otherwise, such as ``VerificationResult/repair``.
        case changed
        /// Its server has another version now. The file is what it was when it was finished, unless its bytes have no
        /// known checksum. See ``VerificationOptions/onlineRequest``.
        case outdated
        /// ``VerificationOptions/checksums`` has its name, and there is no such file.
        case missing
        /// A partial file, which no download is writing now.
        case partial
        /// A partial file that is being downloaded now, in this process or another.
        case running
        /// It could not be checked, or its server could not be asked: see ``VerificationResult/error``.
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
    /// Whether its server has this version; `nil` if it was not asked, did not answer, or cannot tell.
    public internal(set) var isCurrent: Bool?
    /// What is wrong with the file, or why it could not be checked; `nil` if nothing is.
    public internal(set) var error: DownloadError?
    /// The request that fetches a damaged, changed or outdated file anew; `nil` if the file is none of these, or if Spate
    /// did not make it.
    ///
    /// For a damaged or changed file it demands ``expectedChecksum``. The file stays until the right one is complete. For an
    /// outdated one it is an update; it is `nil` if the file has a checksum that somebody gave, since the server's new
    /// version has another. Add what the server wants and Spate never stores: headers, or a user and password.
    public internal(set) var repair: DownloadRequest?
    /// Leads to the file again, and replaces it if it was changed.
    private var request: DownloadRequest?
    /// The request for a file that is as it was finished, as far as is known.
    var unchanged: DownloadRequest? { request?.replacesExistingFile == false ? request : nil }
    /// Whether somebody gave the checksum.
    private var isPinned = false

    /// Whether the file is not what it should be, or could not be checked. A partial file is not bad.
    public var isBad: Bool { error != nil }

    /// Creates a result, for tests of code that handles them.
    public init(
        _ state: State,
        url: URL? = nil,
        size: Int64? = nil,
        expectedSize: Int64? = nil,
        checksum: Checksum? = nil,
        expectedChecksum: Checksum? = nil,
        isCurrent: Bool? = nil,
        error: DownloadError? = nil,
        repair: DownloadRequest? = nil
    ) {
        (self.state, self.url, self.size, self.expectedSize) = (state, url, size, expectedSize)
        (self.checksum, self.expectedChecksum) = (checksum, expectedChecksum)
        (self.isCurrent, self.error, self.repair) = (isCurrent, error, repair)
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
    /// - Parameters:
    ///   - expected: the checksum that it must have, if one is known.
    ///   - isGiven: whether that was given. Then it alone decides, even if somebody wrote to the file.
    ///   - folder: its folder, if it is not the manager's.
    init(_ file: FinalFile, _ expected: Checksum?, isGiven: Bool, in folder: URL?, at path: String) {
        self = VerificationResult(.sizeOnly)
        (url, size, expectedSize) = (URL(string: file.origin.text), file.size, file.total)
        isPinned = isGiven || file.checksum != nil
        if let url {
            var request = DownloadRequest(url, file.naming, in: folder)
            request.isChosenByDocument = file.isOfDocument
            request.replacesExistingFile = file.isWritten
            self.request = request
        }
        guard file.isWritten, !isGiven else { return }
        (state, expectedChecksum) = (.changed, expected)
        error = .changed(path, file.size, finished: file.total)
        repairsByFetching(expected)
    }

    private mutating func repairsByFetching(_ expected: Checksum?) {
        repair = request
        repair?.checksum = expected
    }

    /// The file has been read.
    mutating func compare(_ found: Checksum, _ expected: Checksum, at path: String) {
        (checksum, expectedChecksum) = (found, expected)
        state = found == expected ? .verified : .damaged
        if found != expected { error = .damaged(path, found: found, expected) }
    }

    /// The final file has been read.
    mutating func compare(_ found: Checksum, _ expected: Checksum, of file: FinalFile, at path: String) {
        compare(found, expected, at: path)
        guard state == .damaged else { return }
        if file.isWritten { state = .changed }
        repairsByFetching(expected)
    }

    /// Its server was asked whether it still has the file.
    ///
    /// - Parameter isProven: whether it has. Otherwise it cannot tell, or the end is a failure.
    mutating func note(_ answer: Result<URL, DownloadError>, isProven: Bool) {
        switch answer {
        case .success: isCurrent = isProven ? true : nil
        case .failure(let failure):
            error = failure
            state = failure.code == .outdated ? .outdated : .failed
            if state == .failed { return }
            isCurrent = false
            if isPinned { return }
            repair = request
            repair?.checksForUpdate = true
        }
    }
}
