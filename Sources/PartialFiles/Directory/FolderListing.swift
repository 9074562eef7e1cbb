import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax

/// The names in a folder at one moment. Enqueueing many downloads reads them once, instead of two lookups for each.
package struct FolderListing: Sendable {
    private let names: Set<FilePath>
    private let hasPartialFiles: Bool
    private let hasVariants: Bool

    init(names: Set<FilePath>) {
        self.names = names
        hasPartialFiles = names.contains(where: FileName.isPartial)
        hasVariants = names.contains { FileName.mayBeVariant($0) && !FileName.isSidecar($0) }
    }

    /// Whether the folder had none of these names, finished or partial.
    package func lacksAll(_ candidates: FileNaming.Candidates) -> Bool {
        if names.isEmpty { return true }
        return !candidates.prefix(hasVariants ? .max : candidates.hashTurn).contains { name in
            names.contains(name.path)
                || hasPartialFiles
                    && (names.contains(name.partial) || names.contains(name.partial(of: candidates.origin)))
        }
    }
}

extension DownloadDirectory {
    /// The names in the folder now; nil if it cannot be read, or has more than `limit` files. Beyond that, a lookup for
    /// each download may be cheaper.
    package func listing(atMost limit: Int) -> FolderListing? {
        var names: Set<FilePath> = []
        do throws(FileSystemError) {
            guard let folder = try existingFolder() else { return FolderListing(names: []) }
            try folder.forEachName { name in
                names.insert(name)
                return names.count <= limit
            }
        } catch {
            return nil
        }
        return names.count <= limit ? FolderListing(names: names) : nil
    }
}
