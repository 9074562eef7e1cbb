import Foundation
import SpateFilePaths

/// The paths of files in a folder, as tables show them: with the folders that come from their URLs.
struct FolderPaths {
    private let start: FilePath

    /// - Parameter folder: however it was typed.
    init(in folder: URL) {
        start = FilePath(folder.standardizedFileURL.path)
    }

    func path(of file: URL) -> String {
        FilePath(file.path).below(start)?.text ?? file.lastPathComponent
    }
}
