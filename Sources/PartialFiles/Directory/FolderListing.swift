package import HTTPResumption

/// The names in a folder at one moment. Enqueueing many downloads reads it once, instead of looking twice for each.
package struct FolderListing: Sendable {
    private let names: Set<String>
    private let hasPartialFiles: Bool

    init(names: Set<String>) {
        self.names = names
        hasPartialFiles = names.contains(where: FileName.isPartial)
    }

    /// Whether the folder had no finished file of this URL. On a file system that ignores case it may have had one:
    /// opening the file looks again.
    package func lacksFile(of origin: HTTPURL, naming: FileNaming) -> Bool {
        names.isEmpty || !naming.candidates(for: origin).contains { names.contains($0.text) }
    }

    /// Whether the folder had no partial file of this URL.
    package func lacksPartialFile(of origin: HTTPURL, naming: FileNaming) -> Bool {
        !hasPartialFiles || !naming.candidates(for: origin).contains { names.contains($0.partial) }
    }
}

extension DownloadDirectory {
    /// The names in the folder now; nil if it cannot be read, or has more than `limit` files. Beyond that, looking for
    /// each file may be cheaper.
    package func listing(atMost limit: Int) -> FolderListing? {
        var names: Set<String> = []
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
