import Glibc
package import SpateFilePaths
import SpateLocking

/// Folders that are made when needed, and the folders above them.
extension OpenFolder {
    /// Opens the folder at `path`. Makes it and its parents if missing.
    package static func make(path: FilePath, on platform: Platform) throws(FileSystemError) -> OpenFolder {
        do throws(FileSystemError) {
            return try OpenFolder(path: path, on: platform)
        } catch  where error.code == ENOENT {
            var changed: [FilePath] = []
            try makeFolders(path, on: platform, &changed)
            let folder = try OpenFolder(path: path, on: platform)
            folder.noteUnsynced(changed)
            return folder
        } catch  where error.code == ENOTDIR {
            throw FileSystemError(.open, fileInTheWay(of: path, on: platform) ?? path, code: ENOTDIR)
        }
    }

    /// The first link at a path and above it, up to a root; nil if there is none.
    package static func link(at path: FilePath, below root: FilePath, on platform: Platform) -> FilePath? {
        var next: FilePath? = path
        while let path = next, path != root {
            var status = stat()
            if platform.statusAtPath(path, false, &status) == 0, FileStatus(status).kind == .link { return path }
            next = path.parent
        }
        return nil
    }

    /// The path of the folder, or of one above it, that is a file; nil if it has just gone.
    private static func fileInTheWay(of path: FilePath, on platform: Platform) -> FilePath? {
        var path = path
        while true {
            var status = stat()
            if platform.statusAtPath(path, true, &status) == 0 {
                return FileStatus(status).kind == .folder ? nil : path
            }
            guard let parent = path.parent else { return nil }
            path = parent
        }
    }

    /// - Parameter changed: gets the paths of the folders in which one was made, the outermost first.
    private static func makeFolders(
        _ path: FilePath,
        on platform: Platform,
        _ changed: inout [FilePath]
    ) throws(FileSystemError) {
        let parent = path.parent
        var result = platform.makeFolder(path)
        if result != 0, errno == ENOENT, let parent {
            try makeFolders(parent, on: platform, &changed)
            result = platform.makeFolder(path)
        }
        // Another process may make it at the same time.
        guard result == 0 || errno == EEXIST else { throw FileSystemError(.create, path, code: errno) }
        if let parent { changed.append(parent) }
    }

    /// Syncs the folders above whose names `noteUnsynced` has noted.
    func syncParents() throws(FileSystemError) {
        let parents = unsyncedParents.withLock { $0 }
        if parents.isEmpty { return }
        for parent in parents {
            do throws(FileSystemError) {
                try OpenFolder(path: parent, on: platform).sync()
            } catch  where error.operation == .open && [.permissionDenied, .missing].contains(error.kind) {
                // Who may not read a folder cannot sync it.
            }
        }
        unsyncedParents.withLock { $0.removeAll(where: parents.contains) }
    }
}
