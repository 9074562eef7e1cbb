import SpateFilePaths
import SpateFileSystemCalls
import SpateLocking
import SpatePartialFiles

/// The most recently used folders, so that many files of one folder open it once.
///
/// A folder stays open while it is here, or while an attempt has a partial file in it. So there are few descriptors,
/// however many folders the downloads have.
final class DirectoryCache: Sendable {
    static let limit = 16
    private let platform: Platform
    /// The path of the manager's own folder, which stays here: it may have been read as a whole.
    private let own: FilePath?
    /// The most recent is last.
    private let recent = Locked<[DownloadDirectory]>([])

    init(own: FilePath?, on platform: Platform) {
        (self.own, self.platform) = (own, platform)
    }

    /// - Parameter root: the folder below which it is made for downloads.
    func directory(_ path: FilePath, root: FolderRoot? = nil) -> DownloadDirectory {
        let (directory, dropped) = recent.withLock { recent -> (DownloadDirectory, DownloadDirectory?) in
            if let last = recent.last, last.path == path, last.root == root { return (last, nil) }
            let known = recent.firstIndex { $0.path == path && $0.root == root }.map { recent.remove(at: $0) }
            let directory = known ?? DownloadDirectory(path: path, root: root, platform: platform)
            recent.append(directory)
            guard recent.count > Self.limit else { return (directory, nil) }
            return (directory, recent.firstIndex { $0.path != own }.map { recent.remove(at: $0) })
        }
        // Closed without the lock.
        withExtendedLifetime(dropped) {}
        return directory
    }

    func directory(_ claim: FileClaim) -> DownloadDirectory { directory(claim.folder, root: claim.root) }
}
