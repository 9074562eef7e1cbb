import HTTPSyntax
import QueueJournals

/// What a queue's journal notes of an ended download.
struct EndedWork {
    /// The hash of its place: an earlier failure there is over.
    let place: Int
    /// The hash of finished or refused work, which ends the same entries; `nil` if another try may help.
    var done: Int?
    /// What to keep of a failure.
    var failure: (entry: JournalEntry, failure: JournalFailure)?
}

extension EndedWork {
    /// - Parameter ownFolder: the journal's folder.
    /// - Returns: `nil` if the request was invalid.
    init?(_ download: Download, as end: DownloadEnd, ownFolder: String) {
        guard let valid = download.valid else { return nil }
        let request = download.enqueuedRequest
        place = JournalEntry.placeHash(
            url: valid.url.text,
            folder: valid.place.chosenFolder(besides: ownFolder),
            cutURLFolders: request.placement.cutCount,
            fileName: request.fileName
        )
        switch end {
        case .finished: done = request.hashOfFile(valid, ownFolder: ownFolder)
        case .failed(let error):
            if error.code == .httpStatus && !error.isRetryable { done = request.hashOfRefusal(valid) }
            if let kept = JournalFailure(error) {
                failure = (JournalEntry(request, valid, ownFolder: ownFolder), kept)
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
