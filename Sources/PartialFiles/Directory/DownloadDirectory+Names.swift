package import SpateFileSystemCalls

/// The names of files that existed before.
extension DownloadDirectory {
    /// Call this before reporting a finished file that was found: then its name survives a power cut. The process that
    /// renamed it may have ended before it synced the folder. Slow for the first name, and for newer names.
    ///
    /// - Returns: false if the file was removed or replaced meanwhile.
    /// - Throws: a `FileSystemError` if a power cut may take the name away.
    package func keepName(of finished: StoredFile) throws(FileSystemError) -> Bool {
        guard let folder = try existingFolder(), let status = try folder.status(of: finished.name) else { return false }
        if folder.isInMemory { return true }
        try folder.keepNames(since: status.changed)
        return try folder.status(of: finished.name)?.identity == status.identity
    }
}
