import Foundation
import HTTPResumption

extension DownloadRequest {
    /// The address that the download is known by, without credentials and fragment: two URLs with the same address
    /// are one download. `nil` where the URL is none that can be downloaded.
    public var address: String? {
        guard let url = try? HTTPURL(url.absoluteString) else { return nil }
        return url.text
    }

    /// Checks all that can be told of the request without disk and network; enqueueing it would fail in the same way.
    ///
    /// - Throws: an error of the code `badURL`, `unsupportedScheme`, `badFileName`, `badHeader`, `badChecksum`, or
    ///   `fileSystem` for a folder that is not on this machine.
    public func check() throws(DownloadError) {
        _ = try CheckedRequest(self, in: .standard)
    }
}
