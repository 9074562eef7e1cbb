import Glibc
package import HTTPResumption

extension DownloadDirectory {
    /// Deletes what there is of `origin`, finished and partial, also while somebody is writing it: the writer goes on
    /// into a file without a name. Only files whose record says that they are Spate's and of this URL are touched.
    /// That there is nothing to delete is no error.
    package func delete(_ origin: HTTPURL, naming: FileNaming) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        var isDone = false
        for name in naming.candidates(for: origin) {
            for name in [name.text, name.partial, name.partial(of: origin)] {
                if try remove(name, of: origin, in: folder) { isDone = true }
            }
        }
        if isDone { return }
        // A caller may have named the file, and not be the one who asks now.
        for file in try contents() where file.origin == origin { try delete(file) }
    }

    /// Deletes one file that `contents` told of, if it still is what it was.
    package func delete(_ file: StoredFile) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        _ = try remove(file.name, of: file.origin, in: folder)
    }

    /// Takes away what a run leaves that is stopped right after it gave a file its final name.
    package func removeLeftoverSidecars(beside file: FinishedFile, of origin: HTTPURL) {
        guard file.hasSidecar, let folder = try? existingFolder() else { return }
        let name = FileName(safe: file.name)
        for name in [name.partial, name.partial(of: origin)] {
            // Next time, then.
            try? Sidecar.removeOrphan(for: name, of: origin, in: folder)
        }
    }

    private func remove(_ name: String, of origin: HTTPURL, in folder: OpenFolder) throws(FileSystemError) -> Bool {
        guard let found = try folder.status(of: name) else {
            try Sidecar.removeOrphan(for: name, of: origin, in: folder)
            return false
        }
        guard found.kind == .regular,
            let file = try? folder.open(name, O_RDONLY), let status = try? file.status(),
            status.identity == found.identity
        else { return false }
        let stored = StoredRecord(of: file, on: platform)
        guard stored.record.isOf(origin), stored.record.provesSpates(name, size: status.size) else { return false }
        try folder.unlink(name)
        if stored.medium == .sidecar { try Sidecar.remove(for: name, in: folder) }
        return true
    }
}
