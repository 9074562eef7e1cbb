import Glibc
import Timing

/// The names of files that were there before.
extension DownloadDirectory {
    /// After this time every file system has brought a name to the disk by itself.
    private static let commitTime = Duration.seconds(60)

    /// Call it before a finished file that was found is reported: then its name survives a power cut. The process that gave
    /// it the name may have ended before it synced the folder. Slow for files of the last minute alone.
    ///
    /// - Returns: false if somebody has removed or replaced the file meanwhile.
    /// - Throws: a `FileSystemError` if a power cut may take the name away.
    package func keepName(of finished: StoredFile) throws(FileSystemError) -> Bool {
        guard let folder = try existingFolder(), let status = try folder.status(of: finished.name) else { return false }
        if folder.isInMemory { return true }
        let age = platform.runtime.wallClock() - status.changed
        // A clock that was set says nothing.
        guard age < .zero || age < Self.commitTime else { return true }
        try folder.syncNames()
        return try folder.status(of: finished.name)?.identity == status.identity
    }
}
