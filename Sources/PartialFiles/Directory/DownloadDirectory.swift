import Glibc
import Locking

/// A folder that downloads go to: which names they get there, and which files in it are Spate's.
///
/// It is made when the first download needs it. Looking things up never makes anything.
package final class DownloadDirectory: Sendable {
    package let path: String
    let platform: Platform
    /// Asked for once: what a process may write hardly ever changes, and there is a call for it less per download.
    let largestFile: Int64
    private let opened = Locked<OpenFolder?>(nil)

    package init(path: String, platform: Platform = .native) {
        self.path = path
        self.platform = platform
        largestFile = platform.largestFile()
    }

    func path(_ name: String) -> String { OpenFolder.join(path, name) }

    /// The folder, made with those above it where it is not there.
    func folder() throws(FileSystemError) -> OpenFolder {
        // It may have been deleted and made again, or moved away: then files would go where nobody looks.
        let identity = OpenFolder.identity(at: path)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened, folder.identity == identity { return folder }
            opened = nil
            let folder = try OpenFolder.make(path: path)
            opened = folder
            return folder
        }
    }

    /// The folder where it is there, to look into; nil where it is not.
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
