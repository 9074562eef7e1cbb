import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

/// What a queue's journal notes of an ended download.
struct EndedWork {
    /// The hash of its place: an earlier failure there is over.
    let place: Int
    /// The hash of finished or refused work, which ends the same entries; `nil` if another try may help.
    var done: Int?
    var failure: Failure?

    /// What to keep of a failure. Elsewhere in memory: most downloads have none.
    indirect enum Failure {
        case failed(JournalEntry, JournalFailure)
    }
}

extension EndedWork {
    /// - Parameter ownFolder: the journal's folder.
    /// - Returns: `nil` if the request was invalid.
    init?(_ download: Download, as end: DownloadEnd, ownFolder: FilePath) {
        guard let valid = download.valid else { return nil }
        self.init(download.enqueuedRequest, valid, as: end, ownFolder: ownFolder)
    }

    private init(
        _ request: borrowing DownloadRequest,
        _ valid: ValidRequest,
        as end: DownloadEnd,
        ownFolder: FilePath
    ) {
        place = valid.claim.placeHash
        switch end {
        case .finished:
            done = Self.hash(
                valid.claim,
                request.checksum?.description,
                hasPieces: request.metalink.map { $0.size != nil && $0.pieces != nil } ?? false,
                replaces: request.replacesExistingFile,
                checksForUpdate: request.checksForUpdate
            )
        case .failed(let error):
            if error.code == .httpStatus && !error.isRetryable {
                done = Self.hashOfRefusal(valid.url.text, valid.mirrors.map(\.text))
            }
            if let kept = JournalFailure(error) {
                failure = .failed(JournalEntry((copy request, valid, ownFolder)), kept)
            }
        case .cancelled: break
        }
    }

    /// Equal for downloads that get the same file in the same way, of any size.
    static func hash(
        _ claim: FileClaim,
        _ checksum: String?,
        hasPieces: Bool,
        replaces: Bool,
        checksForUpdate: Bool
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(claim.placeHash)
        hasher.combine(claim.naming == .stated)
        hasher.combine(checksum)
        for flag in [hasPieces, replaces, checksForUpdate] { hasher.combine(flag) }
        return hasher.finalize()
    }

    /// Equal for downloads that get the same refusal from a server.
    static func hashOfRefusal(_ url: String, _ mirrors: [String]) -> Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(mirrors)
        return hasher.finalize()
    }
}

/// The work of some ended downloads.
struct DoneWork {
    /// The hashes of finished and refused work.
    private(set) var hashes: [Int] = []
    /// The hashes of all their places.
    private(set) var places: [Int] = []

    var count: Int { places.count }

    mutating func note(_ work: EndedWork) {
        places.append(work.place)
        if let done = work.done { hashes.append(done) }
    }
}
