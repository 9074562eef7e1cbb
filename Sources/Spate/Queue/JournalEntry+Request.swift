import Foundation
import SpateFilePaths
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateQueueJournals

extension JournalEntry {
    // To copy each field as a whole would cost more than to write it.
    private static let writers = RequestField.all.map(\.write)
    private static let readers = RequestField.all.map(\.read)

    /// The stored part of a request. Uses the validated URLs, without user and password.
    init(_ enqueued: RequestField.Enqueued) {
        self.init(url: enqueued.valid.url.text)
        for write in Self.writers { write(enqueued, &self) }
    }

    /// The request; `nil` if this version cannot check its checksum.
    var request: DownloadRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = DownloadRequest(url)
        if isPlain { return request }
        do {
            for read in Self.readers { try read(self, &request) }
            return request
        } catch {
            return nil
        }
    }
}

// What is asked of an entry without making its request.
extension JournalEntry {
    var checksum: String? { self["checksum"] }
    var pieces: String? { self["pieces"] }
    var mirrors: [String] { self[all: "mirror"] }

    /// Equal for entries that request the same file in the same way, of any size.
    func hash(ownFolder: FilePath) -> Int {
        guard let claim = claim(ownFolder: ownFolder) else { return url.hashValue }
        return EndedWork.hash(
            claim,
            checksum,
            hasPieces: pieces != nil,
            replaces: options.contains("r"),
            checksForUpdate: options.contains("u")
        )
    }

    /// Equal for entries that get the same refusal from a server.
    var hashOfRefusal: Int { EndedWork.hashOfRefusal(url, mirrors) }

    /// Whether an entry of an earlier version, which did not say it, may be of a Metalink: it has what a Metalink says.
    var mayBeOfDocument: Bool {
        ["size", "checksum", "pieces", "mirror"].contains { self[$0] != nil }
    }
}
