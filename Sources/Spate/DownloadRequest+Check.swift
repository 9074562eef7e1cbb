public import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles

extension DownloadRequest {
    /// The URL that identifies the download; `nil` if ``url`` cannot be downloaded.
    ///
    /// It has no user, password or fragment, and one spelling for each URL. Equal requests with the same normalized URL
    /// are one download. A different one is refused while the first has not ended.
    public var normalizedURL: URL? {
        // The URL is usually normalized already, and parsing it again takes longer than comparing.
        normalizedText.flatMap { $0 == givenURL.text ? url.absoluteURL : URL(string: $0) }
    }

    /// The text of ``normalizedURL``, which costs less than that.
    public var normalizedText: String? { try? givenURL.normalized.text }

    /// The path of the request's file, unless another file has its name or the server gives another one. Reads no disk,
    /// and so suits long lists; ``DownloadManager/fileURL(for:)-(DownloadRequest)`` looks. `nil` if the request is invalid.
    ///
    /// - Parameter folder: the absolute path of the folder if the request has none: its manager's.
    public func usualPath(in folder: String) -> String? {
        try? ValidRequest.claim(self, ValidRequest.url(givenURL), besides: FilePath(folder)).path.text
    }

    /// Checks the request without disk or network. Enqueueing a request that fails here fails the same way.
    ///
    /// - Throws: a ``DownloadError`` with the code `badURL`, `unsupportedScheme`, `badFileName`, `badHeader` or
    ///   `badChecksum`, `fileSystem` if the folder is not on this machine, or `tls` if a certificate is not.
    public func check() throws(DownloadError) {
        _ = try ValidRequest(self, in: .standard)
    }

    /// Whether checksums prove the file. Its server's Metalink may, too: see ``Download/wanted``.
    var isProvable: Bool { WantedFile(self).isProvable }
}
