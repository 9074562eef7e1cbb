public import Foundation
import HTTPResumption

extension DownloadRequest {
    /// The URL that identifies the download; `nil` if ``url`` cannot be downloaded.
    ///
    /// User, password and fragment are left out, and the spelling is made uniform. Two requests with the same normalized
    /// URL are one download.
    public var normalizedURL: URL? {
        normalizedText.flatMap(URL.init(string:))
    }

    /// The earlier form of ``normalizedURL``, as text.
    @available(*, deprecated, renamed: "normalizedURL")
    public var address: String? { normalizedText }

    private var normalizedText: String? {
        try? HTTPURL(url.absoluteString).text
    }

    /// Checks all that can be told of the request without disk and network; enqueueing it would fail in the same way.
    ///
    /// - Throws: an error of the code `badURL`, `unsupportedScheme`, `badFileName`, `badHeader`, `badChecksum`, or
    ///   `fileSystem` for a folder that is not on this machine.
    public func check() throws(DownloadError) {
        _ = try ValidRequest(self, in: .standard)
    }
}
