import FileSystemCalls
import Locking
import PartialFiles

/// The most recently used folders, so that many files of one folder open it once.
///
/// A folder stays open while it is here, or while an attempt has a partial file in it. So there are few descriptors,
/// however many folders the downloads have.
final class DirectoryCache: Sendable {
    private static let limit = 16
    private let platform: Platform
    /// The most recent is last.
    private let recent = Locked<[DownloadDirectory]>([])

    init(on platform: Platform) {
        self.platform = platform
    }

    func directory(_ path: String) -> DownloadDirectory {
        let (directory, dropped) = recent.withLock { recent -> (DownloadDirectory, DownloadDirectory?) in
            if let last = recent.last, last.path == path { return (last, nil) }
            let known = recent.firstIndex { $0.path == path }.map { recent.remove(at: $0) }
            let directory = known ?? DownloadDirectory(path: path, platform: platform)
            recent.append(directory)
            guard recent.count > Self.limit else { return (directory, nil) }
            // Keep the manager's own folder, which was read as a whole.
            return (directory, recent.firstIndex { !$0.hasBeenRead }.map { recent.remove(at: $0) })
        }
        // Closed without the lock.
        withExtendedLifetime(dropped) {}
        return directory
    }
}
