import PartialFiles

extension Download {
    /// Ends it, and removes its partial and its finished file, also after the end.
    ///
    /// Only files that Spate made are removed; it is no error if there are none. If another download has followed that
    /// fetches the same file, it is cancelled. A download that failed because its request was refused has no files, and
    /// nothing is removed.
    ///
    /// - Throws: a ``DownloadError`` if a file could not be removed, with the code ``DownloadError/Code/inUse`` if another
    ///   process or manager is downloading it.
    public func delete() throws {
        guard let valid else { return }
        endForDeletion()
        // Before its file goes: a process that is killed now must not bring it back.
        manager?.journal?.write()
        if let manager { return try manager.delete(valid) }
        // The manager has gone: nothing of it is downloading any more.
        do throws(FileSystemError) {
            try directory(of: valid).delete(valid.url, naming: valid.naming)
        } catch {
            throw DownloadError(writing: error)
        }
    }
}
