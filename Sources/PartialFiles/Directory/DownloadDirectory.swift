import Glibc
package import SpateFilePaths
package import SpateFileSystemCalls
import SpateLocking
import Synchronization

/// A folder of downloads: chooses their names there, and finds Spate's files.
///
/// The first download makes the folder. Lookups never do.
package final class DownloadDirectory: Sendable {
    package let path: FilePath
    /// The folder below which it was made for downloads, with others between; nil if it was chosen.
    package let root: FolderRoot?
    package let platform: Platform
    /// Read once: the limit rarely changes, and each download saves a call.
    package let largestFile: Int64
    /// A lookup opens it without a mark.
    private let opened = Locked<(folder: OpenFolder, isMarked: Bool)?>(nil)
    /// The content of the folder, once needed.
    let known = Locked<KnownFolder?>(nil)
    private let wasQuick = Atomic(false)

    /// A disk that takes longer must not hold up the bytes of others.
    private static let quick: Duration = .milliseconds(5)

    package init(path: FilePath, root: FolderRoot? = nil, platform: Platform = .native) {
        (self.path, self.root) = (path, root)
        self.platform = platform
        largestFile = platform.largestFile()
    }

    /// Whether the last file was opened quickly, as most are, and the next one probably will be.
    package var opensQuickly: Bool { wasQuick.load(ordering: .relaxed) }

    package func noteOpening(took time: Duration) {
        wasQuick.store(time <= Self.quick, ordering: .relaxed)
    }

    func path(_ name: FilePath) -> FilePath { path.appending(name) }

    /// The folder, made with its parents if missing.
    package func folder() throws(FileSystemError) -> OpenFolder {
        // If the folder was deleted and made again, or moved away, the open one is no longer at this path. If that is
        // unknown, opening it says why.
        let identity = (try? OpenFolder.identity(at: path, on: platform)) ?? nil
        return try opened.withLock { opened throws(FileSystemError) in
            if let present = opened, present.isMarked, present.folder.identity == identity { return present.folder }
            // Whoever packed an archive with a queue may have put it there, and listings do not follow it, either.
            if let root, let link = OpenFolder.link(at: path, below: root.path, on: platform) {
                throw FileSystemError(.open, link, code: ENOTDIR)
            }
            var known = opened?.folder
            opened = nil
            if known?.identity != identity { known = nil }
            let folder: OpenFolder = if let known { known } else { try OpenFolder.make(path: path, on: platform) }
            if let root { try mark(folder, below: root) }
            opened = (folder, true)
            return folder
        }
    }

    /// The folder if it exists, for lookups.
    package func existingFolder() throws(FileSystemError) -> OpenFolder? {
        let identity = try OpenFolder.identity(at: path, on: platform)
        return try opened.withLock { opened throws(FileSystemError) in
            if let folder = opened?.folder, folder.identity == identity { return folder }
            opened = nil
            if identity == nil { return nil }
            let folder = try OpenFolder(path: path, on: platform)
            opened = (folder, false)
            return folder
        }
    }
}
