import Foundation
import Glibc
import Spate
import SpateFilePaths

/// The files that a run would fetch a second time under other names: they are there, but without Spate's record, as in a
/// folder that was copied.
struct UnknownFiles {
    private(set) var names: [String] = []

    /// - Parameter requests: those of the files whose URLs name them.
    init(of requests: some Sequence<DownloadRequest>, in manager: DownloadManager) {
        let folder = manager.configuration.directory.standardizedFileURL.path
        for request in requests where Self.avoidsOthers(request) {
            guard let path = request.usualPath(in: folder), Self.isFile(path) else { continue }
            let file = URL(fileURLWithPath: path, isDirectory: false)
            // If it cannot be read, the download says so.
            if (try? manager.storedDownload(at: file)) != .some(nil) || manager.isDownloaded(request) { continue }
            names.append(FilePath(path).lastName.text)
        }
    }

    /// Whether the download of a request gets another name if a file has its own, and nothing proves or takes that file.
    private static func avoidsOthers(_ request: DownloadRequest) -> Bool {
        request.fileName == nil && request.relativePath == nil && request.naming != .server && request.checksum == nil
            && request.metalink == nil && !request.skipsExistingFile && !request.replacesExistingFile
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
