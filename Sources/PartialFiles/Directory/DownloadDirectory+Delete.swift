import Glibc
package import HTTPResumption

extension DownloadDirectory {
    /// Deletes the files of `origin`, finished and partial. A file whose record does not prove that it is Spate's and
    /// of this URL stays. Having nothing to delete is not an error.
    ///
    /// A download that is writing its partial file goes on into a file without a name.
    package func delete(_ origin: HTTPURL, naming: FileNaming) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        var isDone = false
        for name in naming.candidates(for: origin) {
            for name in [name.text, name.partial, name.partial(of: origin)] {
                if try remove(name, of: origin, in: folder) { isDone = true }
            }
        }
        if isDone { return }
        // An earlier caller may have chosen the name.
        for file in try contents() where file.origin == origin { try delete(file) }
    }

    /// Deletes one file from `contents()`, if it is still a file of that URL.
    package func delete(_ file: StoredFile) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        _ = try remove(file.name, of: file.origin, in: folder)
    }

    /// Removes the sidecars of the partial file, which a run leaves if it is stopped right after the rename.
    package func removeLeftoverSidecars(beside file: StoredFile) {
        guard file.hasSidecar, let folder = try? existingFolder() else { return }
        let name = FileName(safe: file.name)
        for name in [name.partial, name.partial(of: file.origin)] {
            // If this fails, the next run tries again.
            try? Sidecar.removeOrphan(for: name, of: file.origin, in: folder, on: platform)
        }
    }

    private func remove(_ name: String, of origin: HTTPURL, in folder: OpenFolder) throws(FileSystemError) -> Bool {
        guard let found = try folder.status(of: name) else {
            try Sidecar.removeOrphan(for: name, of: origin, in: folder, on: platform)
            return false
        }
        guard found.kind == .regular,
            let file = try? folder.open(name, O_RDONLY), let status = (try? file.ownStatus(on: platform)) ?? nil,
            status.identity == found.identity
        else { return false }
        let stored = StoredRecord(of: file, on: platform)
        guard stored.record.isOf(origin), stored.record.provesSpates(name, size: status.size) else { return false }
        try folder.unlink(name)
        if stored.medium == .sidecar { try Sidecar.remove(for: name, in: folder) }
        return true
    }
}
