import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

extension JournalEntry {
    /// Equal for entries that request the same file in the same way, of any size.
    func hash(ownFolder: FilePath) -> Int {
        let folder = placedFolder(ownFolder: ownFolder)
        return WorkHash(of: url).ofFile(
            folder == ownFolder ? nil : folder,
            chosenName,
            naming,
            checksum,
            hasPieces: pieces != nil,
            replaces: replacesExistingFile,
            checksForUpdate: checksForUpdate
        )
    }

    /// The path of the file's folder.
    private func placedFolder(ownFolder: FilePath) -> FilePath {
        guard cutURLFolders != nil, let url = try? HTTPURL(url) else { return folder ?? ownFolder }
        return claim(of: url, ownFolder: ownFolder).folder
    }

    /// Equal for entries that get the same refusal from a server.
    var hashOfRefusal: Int { WorkHash(of: url).ofRefusal(mirrors) }
}
