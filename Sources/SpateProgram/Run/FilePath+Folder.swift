import Foundation
import SpateFilePaths

extension FilePath {
    /// The folder of a file's path as typed, as an absolute URL. `nil` for a name alone.
    ///
    /// - Parameter start: where a relative path begins, as an absolute URL.
    func folder(in start: URL) -> URL? {
        let names = names
        guard names.count > 1 else { return nil }
        let isAbsolute = names[0] == ""
        let parts = names.dropLast().filter { $0 != "" && $0 != "." }
        // `./name` is in that folder itself.
        guard isAbsolute || !parts.isEmpty else { return nil }
        let first = FilePath(isAbsolute ? "/" : start.path)
        return URL(fileURLWithPath: parts.reduce(first) { $0.appending($1) }.text, isDirectory: true)
    }
}
