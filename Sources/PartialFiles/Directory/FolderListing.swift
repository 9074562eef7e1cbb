package import HTTPResumption

/// The names that a folder had at one moment: for many downloads at once, one look in place of two for each.
package struct FolderListing: Sendable {
    private let names: Set<String>

    init(names: Set<String>) {
        self.names = names
    }

    /// Whether no file of this URL was there then, finished. A file system that does not tell upper from lower case may
    /// have had one all the same: whoever opens the place looks again.
    package func lacksFile(of origin: HTTPURL, naming: FileNaming) -> Bool {
        names.isEmpty || !naming.candidates(for: origin).contains { names.contains($0.text) }
    }
}

extension DownloadDirectory {
    /// What is in the folder now; `nil` where that cannot be told, or there is more than so many files: to read all of
    /// them may cost more than to look for each.
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
