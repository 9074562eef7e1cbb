import Foundation

/// The paths of files in a folder, as tables show them: with the folders that come from their URLs.
struct FolderPaths {
    private let start: String

    /// - Parameter folder: however it was typed.
    init(in folder: URL) {
        start = folder.standardizedFileURL.path + "/"
    }

    func path(of file: URL) -> String {
        let path = file.path
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : file.lastPathComponent
    }
}
