import Glibc
import Locking
import Synchronization

/// A folder of downloads: which names they get there, and which files in it are Spate's.
///
/// The first download makes the folder. Look-ups never do.
package final class DownloadDirectory: Sendable {
    package let path: String
    package let platform: Platform
    /// Read once: the limit hardly ever changes, and each download saves a call.
    let largestFile: Int64
    private let opened = Locked<OpenFolder?>(nil)
    /// What is in the folder, once that was asked for.
    let known = Locked<KnownFolder?>(nil)
    /// Whether that took a reading of the whole folder, which is not to be done again without need.
    let isKnown = Atomic(false)

    package init(path: String, platform: Platform = .native) {
        self.path = path
        self.platform = platform
        largestFile = platform.largestFile()
    }

    package var hasBeenRead: Bool { isKnown.load(ordering: .relaxed) }

    func path(_ name: String) -> String { OpenFolder.join(path, name) }

    /// The folder, made with its parents if it is not there.
    func folder() throws(FileSystemError) -> OpenFolder {
        // If the folder was deleted and made again, or moved away, the open one is no longer at this path.
        let identity = OpenFolder.identity(at: path, on: platform)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened, folder.identity == identity { return folder }
            opened = nil
            let folder = try OpenFolder.make(path: path, on: platform)
            opened = folder
            return folder
        }
    }

    /// The folder if it is there, to look into.
    func existingFolder() throws(FileSystemError) -> OpenFolder? {
        let identity = OpenFolder.identity(at: path, on: platform)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened, folder.identity == identity { return folder }
            opened = nil
            if identity == nil { return nil }
            let folder = try OpenFolder(path: path, on: platform)
            opened = folder
            return folder
        }
    }
}
