import SpateFilePaths
import SpateFileSystemCalls

/// The names in a folder at one moment. Enqueueing many downloads reads them once, instead of two lookups for each.
package struct FolderListing: Sendable {
    let names: Set<FilePath>

    /// Whether the folder had no file of the claim, finished or partial.
    func isNew(_ claim: FileClaim) -> Bool { names.isEmpty || claim.isNew { !names.contains($0) } }
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
