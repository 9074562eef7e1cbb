import Locking
import PartialFiles

/// The folders that a manager's downloads go to, each opened once.
final class DirectoryCache: Sendable {
    private let directories = Locked<[String: DownloadDirectory]>([:])

    func directory(_ path: String) -> DownloadDirectory {
        directories.withLock { directories in
            if let directory = directories[path] { return directory }
            let directory = DownloadDirectory(path: path)
            directories[path] = directory
            return directory
        }
    }
}
