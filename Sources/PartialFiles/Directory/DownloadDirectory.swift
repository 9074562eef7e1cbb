import Glibc
import Locking

/// A folder of downloads: which names they get there, and which files in it are Spate's.
///
/// The first download makes the folder. Look-ups never do.
package final class DownloadDirectory: Sendable {
    package let path: String
    let platform: Platform
    /// Read once: the limit hardly ever changes, and each download saves a call.
    let largestFile: Int64
    private let opened = Locked<OpenFolder?>(nil)

    package init(path: String, platform: Platform = .native) {
        self.path = path
        self.platform = platform
        largestFile = platform.largestFile()
    }

    func path(_ name: String) -> String { OpenFolder.join(path, name) }

    /// The folder, made with its parents if it is not there.
    func folder() throws(FileSystemError) -> OpenFolder {
        // If the folder was deleted and made again, or moved away, the open one is no longer at this path.
        let identity = OpenFolder.identity(at: path)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened, folder.identity == identity { return folder }
            opened = nil
            let folder = try OpenFolder.make(path: path)
            opened = folder
            return folder
        }
    }

    /// The folder if it is there, to look into.
    func existingFolder() throws(FileSystemError) -> OpenFolder? {
        let identity = OpenFolder.identity(at: path)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened, folder.identity == identity { return folder }
            opened = nil
            if identity == nil { return nil }
            let folder = try OpenFolder(path: path)
            opened = folder
            return folder
        }
    }
}
