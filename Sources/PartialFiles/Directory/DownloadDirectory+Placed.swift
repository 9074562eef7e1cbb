import Glibc
import SpateExtendedAttributes
import SpateFilePaths
package import SpateFileSystemCalls

/// Folders below a manager's folder that were made for downloads. Each has a mark, so that nobody looks for downloads
/// in the user's own folders.
extension DownloadDirectory {
    /// Marks the folder, and those between it and the root. Begins with the outermost: a walk from the root sees no mark
    /// that is below a folder without one.
    func mark(_ folder: OpenFolder, below root: FolderRoot) throws(FileSystemError) {
        guard folder.path != root.path else { return }
        if !root.isOfURLs {
            // Also if the folder itself has its mark: URLs may have led there before.
            let top = try OpenFolder(path: root.path, on: platform)
            if try !top.has(.hasPaths) {
                try top.set(.hasPaths)
                folder.noteUnsynced([root.path])
            }
        }
        if try folder.has(.isPlaced) { return }
        var unmarked: [FilePath] = []
        var next = folder.path.parent
        while let path = next, path != root.path, try !OpenFolder(path: path, on: platform).has(.isPlaced) {
            unmarked.insert(path, at: 0)
            next = path.parent
        }
        for path in unmarked { try OpenFolder(path: path, on: platform).set(.isPlaced) }
        try folder.set(.isPlaced)
        folder.noteUnsynced(unmarked)
    }

    /// Whether marked folders below this one may have other names than those of URLs.
    package var hasPaths: Bool {
        get throws(FileSystemError) { try existingFolder()?.has(.hasPaths) ?? false }
    }

    /// Calls a closure with each marked folder below this one, at any depth. Has one of them open at a time.
    ///
    /// - Parameter skippingForbidden: whether to skip folders of our own that we may not read.
    /// - Throws: the first error, of the closure or of a folder that cannot be read, after all others.
    package func forEachPlaced(
        skippingForbidden: Bool = false,
        _ body: (DownloadDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        var waiting: [FilePath] = []
        var failure: FileSystemError?
        func attempt(_ step: () throws(FileSystemError) -> Void) {
            do throws(FileSystemError) { try step() } catch {
                if !skippingForbidden || error.kind != .permissionDenied { failure = failure ?? error }
            }
        }
        try addMarkedFolders(to: &waiting, attempt)
        while let path = waiting.popLast() {
            let directory = DownloadDirectory(
                path: path,
                root: FolderRoot(self.path, isOfURLs: true),
                platform: platform
            )
            attempt { () throws(FileSystemError) in try body(directory) }
            attempt { () throws(FileSystemError) in try directory.addMarkedFolders(to: &waiting, attempt) }
        }
        if let failure { throw failure }
    }

    /// All of Spate's files in this folder and in the marked ones below it, in no order.
    ///
    /// - Parameter skippingForbidden: whether to skip files and folders of our own that we may not read.
    package func contentsOfAll(skippingForbidden: Bool = false) throws(FileSystemError) -> [StoredFile] {
        var files = try contents(skippingForbidden: skippingForbidden)
        try forEachPlaced(skippingForbidden: skippingForbidden) { (directory) throws(FileSystemError) in
            files += try directory.contents(skippingForbidden: skippingForbidden)
        }
        return files
    }

    /// Adds the paths of the marked folders in this one. Links are not followed.
    ///
    /// - Parameter attempt: runs the look at one folder, and notes its error.
    private func addMarkedFolders(
        to paths: inout [FilePath],
        _ attempt: (() throws(FileSystemError) -> Void) -> Void
    ) throws(FileSystemError) {
        guard let folder = try existingFolder() else { return }
        for name in try folder.folderNames() {
            attempt { () throws(FileSystemError) in
                guard let status = try folder.status(of: name), status.kind == .folder else { return }
                do throws(FileSystemError) {
                    let inner = try OpenFolder(path: folder.path(name), on: platform)
                    if try inner.has(.isPlaced) { paths.append(inner.path) }
                } catch {
                    // It has just gone, or is another user's.
                    if error.isAnswer { return }
                    if error.kind == .permissionDenied, try !folder.isOurs(status) { return }
                    throw error
                }
            }
        }
    }
}

/// What a folder's attributes say about the folders of downloads.
private enum FolderMark: String {
    /// It was made for downloads.
    case isPlaced = "user.spate.folder"
    /// Folders below it were made for downloads by paths that their requests gave.
    case hasPaths = "user.spate.paths"
}

extension OpenFolder {
    fileprivate func has(_ mark: FolderMark) throws(FileSystemError) -> Bool {
        do throws(ErrorNumber) {
            return try platform.attributes(descriptor).text(of: mark.rawValue) != nil
        } catch  where error.attributeFailure == .other {
            throw FileSystemError(.read, path, code: error.code)
        } catch {
            // Without attributes there is a file for one of the two. Whoever looks for the other one looks everywhere.
            if mark == .hasPaths { return true }
            return try status(of: FileName.folderMark) != nil
        }
    }

    fileprivate func set(_ mark: FolderMark) throws(FileSystemError) {
        do throws(ErrorNumber) {
            try platform.attributes(descriptor).set(mark.rawValue, to: "1")
        } catch {
            if mark == .isPlaced { _ = try open(FileName.folderMark, O_WRONLY | O_CREAT) }
        }
    }
}
