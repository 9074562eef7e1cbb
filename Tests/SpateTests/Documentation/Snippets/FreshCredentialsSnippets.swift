import Foundation
import Spate

private func signedURL(for url: URL) async throws -> URL { url }
private func token(isFresh: Bool) async throws -> String { "" }

private func signing(_ url: URL) {
    // snippet
    var configuration = DownloadManager.Configuration()
    configuration.prepare = { request, _ in
        var request = request
        request.url = try await signedURL(for: request.url)
        return request
    }
    let manager = DownloadManager(configuration: configuration)
    manager.download(url)  // the URL without a signature: it stays the name of the download
    // end
}

private func renewing(_ configuration: inout DownloadManager.Configuration) {
    // snippet
    configuration.prepare = { request, attempt in
        var request = request
        let isRefused = attempt.previousError?.statusCode == 401
        request.headers["Authorization"] = "Bearer \(try await token(isFresh: isRefused))"
        return request
    }
    // end
}
