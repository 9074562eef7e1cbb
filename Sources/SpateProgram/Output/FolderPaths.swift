import Foundation
import Spate
import SpateFilePaths

/// The paths of files in a manager's folder, as tables show them: with the folders below it.
struct FolderPaths {
    private let manager: DownloadManager
    private let start: FilePath

    init(of manager: DownloadManager) {
        self.manager = manager
        start = FilePath(manager.configuration.directory.standardizedFileURL.path)
    }

    /// The path below the folder, or the whole path of a file elsewhere.
    func shown(_ file: FilePath) -> String { (file.below(start) ?? file).text }

    /// Where a file that has not begun will be. The server or another file may still change its name.
    func file(of request: DownloadRequest) -> FilePath {
        FilePath(request.usualPath(in: start.text) ?? manager.fileURL(for: request).path)
    }
}
