import ExtendedAttributes
package import FileSystemCalls
import Glibc
import Locking

/// Folders below a manager's folder that were made for downloads. Each has a mark, so that nobody looks for downloads in
/// folders that are the user's.
extension DownloadDirectory {
    /// Marks the folder, and those between it and the root. The outermost comes first, so that whoever sees a mark gets
    /// there from the root.
    func mark(_ folder: OpenFolder, below root: String) throws(FileSystemError) {
        var unmarked: [OpenFolder] = []
        var next = folder
        while next.path != root, !next.hasMark {
            unmarked.append(next)
            guard let parent = OpenFolder.parent(of: next.path), parent != root else { break }
            next = try OpenFolder(path: parent, on: platform)
        }
        for folder in unmarked.reversed() { try folder.setMark() }
        folder.noteUnsynced(unmarked.dropFirst().reversed().map(\.path))
    }

    /// Calls a closure with each marked folder below this one, at any depth. Has one of them open at a time.
    package func forEachPlaced(
        _ body: (DownloadDirectory) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        var waiting = try markedFolders()
        while let path = waiting.popLast() {
            let directory = DownloadDirectory(path: path, root: self.path, platform: platform)
            try body(directory)
            waiting += try directory.markedFolders()
        }
    }

    /// All of Spate's files in this folder and in the marked ones below it, in no order.
    package func contentsOfAll() throws(FileSystemError) -> [StoredFile] {
        var files = try contents()
        try forEachPlaced { (directory) throws(FileSystemError) in files += try directory.contents() }
        return files
    }

    /// The paths of the marked folders in this one. Links are not followed.
    private func markedFolders() throws(FileSystemError) -> [String] {
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
