import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPSyntax
import SpatePartialFiles

extension DownloadManager {
    /// The request that fetches a file of a Metalink; `nil` if the file has no URL.
    ///
    /// It asks for the best URL, has the others as mirrors, and demands the size and the checksum. If the manager's
    /// folder has the file, finished or partial, from one of the URLs, it asks for that one: so a later Metalink with
    /// another order finds it. This reads the folder.
    ///
    /// If the name has folders, they are made: see ``Metalink/File/relativePath``.
    ///
    /// The URL is ``DownloadRequest/isChosenByDocument``, so no private header and no certificate goes there.
    public func request(for file: Metalink.File) -> DownloadRequest? {
        let known = (file.relativePath ?? file.fileName).flatMap { knownURL(of: $0, among: file.urls) }
        guard let url = known ?? file.urls.first else { return nil }
        var request = DownloadRequest(url, fileName: file.fileName, checksum: file.checksum)
        request.relativePath = file.relativePath
        request.mirrors = file.urls.filter { $0 != url }
        (request.expectedBytes, request.metalink) = (file.size, file)
        request.isChosenByDocument = true
        return request
    }

    /// The URL of the file that is there under this path.
    private func knownURL(of path: String, among urls: [URL]) -> URL? {
        guard let own = try? validConfiguration.directory.get(), let path = try? RelativePath(FilePath(path)) else {
            return nil
        }
        return urls.first { url in
            guard let key = try? ValidRequest.url(url) else { return false }
            let claim = FileClaim(key, at: path, in: own)
            let directory = directories.directory(claim)
            // If the disk fails, the download says so.
            return (try? directory.finalFile(claim) ?? directory.partialFile(claim)) ?? nil != nil
        }
    }
}
