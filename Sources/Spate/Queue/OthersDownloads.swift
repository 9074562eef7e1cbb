import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpatePartialFiles
import SpateQueueJournals

/// The URLs that other processes and managers are downloading, as a folder shows: in their queues, and in partial files
/// that they own.
struct OthersDownloads {
    private var urls: Set<URLHash>

    /// The URLs in locked journals.
    init(inJournalsOf directory: DownloadDirectory) throws(FileSystemError) {
        urls = try directory.lockedJournalURLs()
    }

    /// Adds the partial files that are in use, or have another living owner.
    mutating func add(_ files: [StoredFile], besides own: FileOwner?, on platform: Platform) {
        for file in files where Self.isOthers(file, besides: own, on: platform) {
            urls.insert(URLHash(text: file.origin.text))
        }
    }

    static func isOthers(_ file: StoredFile, besides own: FileOwner?, on platform: Platform) -> Bool {
        if file.isInUse { return true }
        guard let owner = file.owner, owner != own else { return false }
        return owner.isAlive(on: platform)
    }

    /// Whether this URL is among them. The manager's own URLs may be, too.
    func has(_ url: String) -> Bool { urls.contains(URLHash(text: url)) }
}
