import Glibc
package import SpateFilePaths
package import SpateFileSystemCalls
package import SpateHTTPSyntax

/// Looks at each name in the folder, to verify the files.
extension DownloadDirectory {
    /// What a name in the folder leads to.
    package enum Finding: Sendable {
        case nothing
        /// A partial file.
        case partial(StoredFile)
        /// A file that was finished here, and may have been changed since.
        case final(FinalFile)
        /// A file that Spate did not make, or does not know any more.
        case stranger(OpenFile, size: Int64)
    }

    /// The names of all files in the folder, except the ones that only Spate reads. Sorted by bytes. Empty if there is
    /// no folder.
    package func fileNames() throws(FileSystemError) -> [FilePath] {
        guard let folder = try existingFolder() else { return [] }
        var names: [FilePath] = []
        try folder.forEachName { name in
            if !FileName.isSidecar(name) { names.append(name) }
            return true
        }
        return names.sorted()
    }

    /// Looks at a name, and opens a final file.
    ///
    /// - Parameter wantsAny: whether any regular file counts, also behind a link or of another owner. Otherwise what
    ///   cannot be read counts only if it is our own.
    package func find(_ name: FilePath, wantsAny: Bool) throws(FileSystemError) -> Finding {
        guard let folder = try existingFolder(), let found = try folder.status(of: name) else { return .nothing }
        if FileName.isPartial(name), let file = try storedFile(name, in: folder) { return .partial(file) }
        guard wantsAny || found.kind == .regular else { return .nothing }
        let file: OpenFile
        do throws(FileSystemError) {
            file = try folder.open(name, O_RDONLY, followsLinks: wantsAny)
        } catch {
            if error.kind == .missing { return .nothing }
            if !wantsAny, try !folder.isOurs(found) { return .nothing }
            throw error
        }
        let status = try file.status()
        guard status.kind == .regular else { throw FileSystemError(.open, file.path, code: ENXIO) }
        if found.kind == .regular, !FileName.isPartial(name), try folder.isOurs(status),
            let final = FinalFile(try RecordedFile(file, status))
        {
            return .final(final)
        }
        return .stranger(file, size: status.size)
    }
}

/// A file that was finished here, open to be verified.
package struct FinalFile: Sendable {
    package let file: OpenFile
    package let origin: HTTPURL
    /// The naming that leads to this file again.
    package let naming: FileNaming
    package let size: Int64
    /// The size that it was finished with.
    package let total: Int64
    /// Whether somebody wrote to it since it was finished, as far as the record shows.
    package let isWritten: Bool
    /// The checksum that it was finished with, if it is known and not `digest`.
    package let checksum: String?
    /// The digest that the server stated.
    package let digest: StatedDigest?
    /// Whether a document chose the URL.
    package let isOfDocument: Bool
    private let identity: FileStatus.Identity

    /// nil if no record proves that a download finished the file.
    fileprivate init?(_ found: RecordedFile) {
        let record = found.record
        guard let text = record.origin, let origin = try? HTTPURL(text), record.isOf(origin),
            let stored = found.finalFile(of: origin, in: found.file.folder), let total = stored.total
        else { return nil }
        (file, identity) = (found.file, found.status.identity)
        (self.origin, size, self.total, isWritten) = (origin, stored.size, total, stored.isChanged)
        (naming, isOfDocument) = (stored.claim.naming, stored.isOfDocument)
        (checksum, digest) = (record.checksum, record.digest)
    }

    /// Whether the name still leads to this file, and it has the same size.
    package var isUnchanged: Bool {
        get throws(FileSystemError) {
            let status = try file.folder.status(of: file.name)
            return status?.identity == identity && status?.size == size
        }
    }
}
