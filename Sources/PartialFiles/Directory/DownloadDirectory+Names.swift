import Glibc
import Timing

/// The names of files that were there before.
extension DownloadDirectory {
    /// After this time every file system has brought a name to the disk by itself.
    private static let commitTime = Duration.seconds(60)

    /// Call it before a finished file that was found is reported: then its name survives a power cut. The process that gave
    /// it the name may have ended before it synced the folder. Slow for files of the last minute alone.
    ///
    /// - Throws: a `FileSystemError` if a power cut may take the name away.
    package func keepName(of finished: StoredFile) throws(FileSystemError) {
        guard let folder = (try? existingFolder()) ?? nil, !folder.isInMemory,
            let status = (try? folder.status(of: finished.name)) ?? nil
        else { return }
        let age = platform.runtime.wallClock() - status.changed
        // A clock that was set says nothing.
        if age < .zero || age < Self.commitTime { try folder.syncNames() }
    }
}
