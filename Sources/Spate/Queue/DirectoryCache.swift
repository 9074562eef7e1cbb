import Locking
import PartialFiles

/// The folders that were used last, so that many files of one folder open it once.
///
/// A folder is open while it is among these, or while an attempt has a partial file in it. So the descriptors are few,
/// however many folders the downloads have.
final class DirectoryCache: Sendable {
    private static let limit = 16
    /// The one that was used last is at the end.
    private let recent = Locked<[DownloadDirectory]>([])

    func directory(_ path: String) -> DownloadDirectory {
        let (directory, dropped) = recent.withLock { recent -> (DownloadDirectory, DownloadDirectory?) in
            if let last = recent.last, last.path == path { return (last, nil) }
            let known = recent.firstIndex { $0.path == path }.map { recent.remove(at: $0) }
            let directory = known ?? DownloadDirectory(path: path)
            recent.append(directory)
            return (directory, recent.count > Self.limit ? recent.removeFirst() : nil)
        }
        // Closed without the lock.
        withExtendedLifetime(dropped) {}
        return directory
    }
}
