import Foundation
import HTTPResumption
import PartialFiles

/// A request that can be met, as far as can be told without disk and network.
struct CheckedRequest: Sendable {
    let url: HTTPURL
    let directory: String
    let naming: FileNaming
    let replacesExisting: Bool

    init(_ request: DownloadRequest, in configuration: CheckedConfiguration) throws(DownloadError) {
        url = try Self.url(request.url)
        directory =
            if let own = request.directory { try Self.directory(own) } else { try configuration.directory.get() }
        naming = try Self.naming(request.fileName)
        replacesExisting = request.replacesExistingFile
        if let fault = configuration.headerFault { throw fault }
        try Self.check(headers: request.headers)
        if let digest = request.sha256, !SHA256.isDigest(digest) {
            throw DownloadError.badChecksum(digest, url: url)
        }
    }

    static func url(_ url: URL) throws(DownloadError) -> HTTPURL {
        do throws(HTTPURLError) {
            return try HTTPURL(url.absoluteString)
        } catch {
            throw DownloadError(error, text: url.absoluteString)
        }
    }

    static func directory(_ url: URL) throws(DownloadError) -> String {
        guard url.isFileURL else { throw DownloadError.foreignFolder(url) }
        return url.standardizedFileURL.path
    }

    private static func naming(_ name: String?) throws(DownloadError) -> FileNaming {
        guard let name else { return .derived }
        do throws(FileNameError) {
            return .explicit(try FileName(explicit: name))
        } catch {
            throw DownloadError(error)
        }
    }

    static func check(headers: [String: String]) throws(DownloadError) {
        for (name, value) in headers { try check(header: name, value) }
    }

    private static func check(header name: String, _ value: String) throws(DownloadError) {
        guard HTTPFields.maySend(name: name, value: "") else { throw DownloadError.badHeaderName(name) }
        guard HTTPFields.maySend(name: name, value: value) else { throw DownloadError.badHeaderValue(of: name) }
        // These are the framework's own: a second one would make it join what does not belong together.
        let own = ["range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection"]
        guard !own.contains(name.lowercased()) else { throw DownloadError.ownHeader(name) }
    }
}
