import HTTPSyntax
import QueueJournals

/// Hashes of finished and refused work, for entries and for requests, which need no entry for that.
private enum WorkHash {
    /// - Parameter folder: the path of the file's folder; `nil` for the journal's own.
    static func ofFile(
        _ url: String,
        _ folder: String?,
        _ name: String?,
        _ naming: JournalEntry.Naming?,
        _ checksum: String?,
        replaces: Bool,
        checksForUpdate: Bool
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(folder)
        hasher.combine(name)
        hasher.combine(naming)
        hasher.combine(checksum)
        hasher.combine(replaces)
        hasher.combine(checksForUpdate)
        return hasher.finalize()
    }

    static func ofRefusal(_ url: String, _ mirrors: [String]) -> Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(mirrors)
        return hasher.finalize()
    }
}

extension JournalEntry {
    /// Equal for entries that request the same file in the same way.
    func hash(ownFolder: String) -> Int {
        let folder = placedFolder(ownFolder: ownFolder)
        return WorkHash.ofFile(
            url,
            folder == ownFolder ? nil : folder,
            fileName,
            naming,
            checksum,
            replaces: replacesExistingFile,
            checksForUpdate: checksForUpdate
        )
    }

    /// The path of the file's folder.
    private func placedFolder(ownFolder: String) -> String {
        guard cutURLFolders != nil, let url = try? HTTPURL(url) else { return folder ?? ownFolder }
        return place(of: url, ownFolder: ownFolder).directory
    }

    /// Equal for entries that get the same refusal from a server.
    var hashOfRefusal: Int { WorkHash.ofRefusal(url, mirrors) }
}

extension DownloadRequest {
    /// The hash of its journal entry.
    func hashOfFile(_ valid: ValidRequest, ownFolder: String) -> Int {
        WorkHash.ofFile(
            valid.url.text,
            valid.directory == ownFolder ? nil : valid.directory,
            fileName,
            JournalEntry.Naming(naming),
            checksum?.description,
            replaces: replacesExistingFile,
            checksForUpdate: checksForUpdate
        )
    }

    /// The hash of its journal entry, if a server refuses it.
    func hashOfRefusal(_ valid: ValidRequest) -> Int { WorkHash.ofRefusal(valid.url.text, valid.mirrors.map(\.text)) }
}
