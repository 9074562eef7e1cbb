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
        let hash = WorkHash(of: valid.url.text)
        let name = WorkHash.chosenName(request.options.fileName, besides: valid.url)
        place = hash.ofPlace(
            valid.claim.chosenFolder(besides: ownFolder),
            cutURLFolders: request.placement.cutCount,
            name
        )
        switch end {
        case .finished:
            done = hash.ofFile(
                valid.claim.folder == ownFolder ? nil : valid.claim.folder,
                name,
                JournalEntry.Naming(request.naming),
                request.checksum?.description,
                hasPieces: request.metalink.map { $0.size != nil && $0.pieces != nil } ?? false,
                replaces: request.replacesExistingFile,
                checksForUpdate: request.checksForUpdate
            )
        case .failed(let error):
            if error.code == .httpStatus && !error.isRetryable { done = hash.ofRefusal(valid.mirrors.map(\.text)) }
            if let kept = JournalFailure(error) {
                failure = .failed(JournalEntry(request, valid, ownFolder: ownFolder), kept)
            }
        case .cancelled: break
        }
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
