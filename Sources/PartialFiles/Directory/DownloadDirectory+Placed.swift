import Glibc
import SpateExtendedAttributes
import SpateFilePaths
package import SpateFileSystemCalls
import SpateLocking

/// Folders below a manager's folder that were made for downloads. Each has a mark, so that nobody looks for downloads
/// in the user's own folders.
extension DownloadDirectory {
    /// Marks the folder, and those between it and the root. Begins with the outermost: a walk from the root sees no mark
    /// that is below a folder without one.
    func mark(_ folder: OpenFolder, below root: FilePath) throws(FileSystemError) {
        if folder.path == root || folder.hasMark { return }
        var unmarked: [FilePath] = []
        var next = folder.path.parent
        while let path = next, path != root, try !OpenFolder(path: path, on: platform).hasMark {
            unmarked.insert(path, at: 0)
            next = path.parent
        }
        for path in unmarked { try OpenFolder(path: path, on: platform).setMark() }
        try folder.setMark()
        folder.noteUnsynced(unmarked)
    }

    /// Calls a closure with each marked folder below this one, at any depth. Has one of them open at a time.
    ///
    /// - Throws: the first error, of the closure or of a folder that cannot be read, after all others.
    package func forEachPlaced(
        _ body: (DownloadDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        var waiting = try markedFolders()
        var failure: FileSystemError?
        func attempt(_ step: () throws(FileSystemError) -> Void) {
            do throws(FileSystemError) { try step() } catch { failure = failure ?? error }
        }
        while let path = waiting.popLast() {
            let directory = DownloadDirectory(path: path, root: self.path, platform: platform)
            attempt { () throws(FileSystemError) in try body(directory) }
            attempt { () throws(FileSystemError) in waiting += try directory.markedFolders() }
        }
        if let failure { throw failure }
    }

    /// All of Spate's files in this folder and in the marked ones below it, in no order.
    package func contentsOfAll() throws(FileSystemError) -> [StoredFile] {
        var files = try contents()
        try forEachPlaced { (directory) throws(FileSystemError) in files += try directory.contents() }
        return files
    }

    /// The paths of the marked folders in this one. Links are not followed.
    private func markedFolders() throws(FileSystemError) -> [FilePath] {
        guard let folder = try existingFolder() else { return [] }
        return try folder.folderNames().compactMap { name in
            guard (try? folder.status(of: name))??.kind == .folder,
                let inner = try? OpenFolder(path: folder.path(name), on: platform), inner.hasMark
            else { return nil }
            return inner.path
        }
    }
}

extension OpenFolder {
    private static let markName = "user.spate.folder"

    fileprivate var hasMark: Bool {
        do throws(ExtendedAttributeError) {
            return try platform.attributes(descriptor).text(of: Self.markName) != nil
        } catch {
            return !isNothing(named: FileName.folderMark)
        }
    }

    fileprivate func setMark() throws(FileSystemError) {
        do throws(ExtendedAttributeError) {
            try platform.attributes(descriptor).set(Self.markName, to: "1")
        } catch {
            _ = try open(FileName.folderMark, O_WRONLY | O_CREAT)
        }
    }
}
