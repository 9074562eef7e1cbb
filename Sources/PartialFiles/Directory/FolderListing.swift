import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax

/// The names in a folder at one moment. Enqueueing many downloads reads them once, instead of two lookups for each.
package struct FolderListing: Sendable {
    private let names: Set<FilePath>
    /// Whether some may be partial files or variants. If none is, only the best name of a claim need be looked up, which
    /// saves a twentieth of the instructions of a small file.
    private let hasOthers: Bool

    init(names: Set<FilePath>) {
        self.names = names
        // A journal's name looks like a variant.
        hasOthers = names.contains { FileName.isPartial($0) || FileName.mayBeVariant($0) && !FileName.isSidecar($0) }
    }

    /// Whether the folder had no file of the claim, finished or partial.
    func isNew(_ claim: FileClaim) -> Bool {
        if hasOthers || claim.origin.hasQuery { return claim.isNew { !names.contains($0) } }
        return !names.contains(claim.preferred.path)
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
