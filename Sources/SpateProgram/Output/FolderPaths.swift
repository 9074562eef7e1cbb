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
    ///
    /// A queue may have a million requests. The manager knows all places, but reads the disk for each, so it is asked
    /// only where a name may have to be changed.
    func file(of request: DownloadRequest) -> FilePath {
        let path = request.url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "?") }
        let name = FilePath(request.fileName ?? (path.last == UInt8(ascii: "/") ? "" : request.url.lastPathComponent))
        guard name != "" else { return FilePath(manager.fileURL(for: request).path) }
        let folder = request.directory.map { FilePath($0.path) } ?? start
        guard case .urlFolders(let count) = request.placement else { return folder.appending(name) }
        guard let folders = Self.plainFolders(of: request.url, cutting: count) else {
            return FilePath(manager.fileURL(for: request).deletingLastPathComponent().path).appending(name)
        }
        return folder.appending(folders).appending(name)
    }

    /// The folders that a URL names, if all of these can be names of folders as they are. Looks at each byte once.
    private static func plainFolders(of url: URL, cutting count: Int) -> FilePath? {
        let text = url.absoluteString
        let bytes = text.utf8.span
        let start = text.hasPrefix("https:") ? "https://".utf8.count : "http://".utf8.count
        var slashes: [Int] = []
        var name = start
        for index in start..<max(start, bytes.count) {
            if bytes[index] == UInt8(ascii: "?") { break }
            switch bytes[index] {
            case UInt8(ascii: "/"):
                guard 1...100 ~= index - name, !hasPartSuffix(text.utf8.prefix(index)) else { return nil }
                slashes.append(index)
                name = index + 1
            case UInt8(ascii: "."): guard index > name else { return nil }
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): guard !slashes.isEmpty else { return nil }
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                break
            default: return nil
            }
        }
        guard let end = slashes.last else { return nil }
        let host = Substring(text.utf8.prefix(slashes[0]).dropFirst(start))
        // The library leaves out the scheme's port.
        if host.hasSuffix(":80") || host.hasSuffix(":443") { return nil }
        return FilePath(
            String(host + Substring(text.utf8.prefix(end).dropFirst(slashes[min(max(0, count), slashes.count - 1)])))
        )
    }

    private static func hasPartSuffix(_ name: Substring.UTF8View) -> Bool {
        name.last == UInt8(ascii: "t") && name.suffix(5).elementsEqual(".part".utf8)
    }
}
