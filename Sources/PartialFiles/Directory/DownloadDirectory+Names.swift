import Glibc

/// The names of files that were there before.
extension DownloadDirectory {
    /// Call it before a finished file that was found is reported: then its name survives a power cut. The process that gave
    /// it the name may have ended before it synced the folder. Slow for the first one, and for names that came later.
    ///
    /// - Returns: false if somebody has removed or replaced the file meanwhile.
    /// - Throws: a `FileSystemError` if a power cut may take the name away.
    package func keepName(of finished: StoredFile) throws(FileSystemError) -> Bool {
        guard let folder = try existingFolder(), let status = try folder.status(of: finished.name) else { return false }
        if folder.isInMemory { return true }
        try folder.keepNames(since: status.changed)
        return try folder.status(of: finished.name)?.identity == status.identity
    }
}
