import Foundation
import Spate

private func aTask(_ url: URL) async throws {
    // snippet
    let file = try await DownloadManager.shared.file(for: url)
    // end
    print(file)
}

// snippet
final class Downloads: DownloadManagerDelegate {
    func download(_ download: Download, didReceive progress: DownloadProgress) {
        print("\(download.url): \(progress)")
    }

    func download(_ download: Download, didFinishAt file: URL) {
        print("\(download.url) is at \(file.path)")  // its final place: there is nothing to move
    }

    func download(_ download: Download, didFailWith error: DownloadError) {
        print(error.message)
    }
}
// end

private func resumeData(_ url: URL, _ manager: DownloadManager) {
    // snippet
    manager.cancel(url)  // keeps the partial file

    manager.download(url)  // resumes, in this process or a later one
    // end
}

private func credentials(_ url: URL, token: String, _ manager: DownloadManager) {
    // snippet
    var request = DownloadRequest(url)
    request.headers = ["Authorization": "Bearer \(token)", "X-Tenant": "blue"]
    request.privateHeaders = ["X-Tenant"]  // not sent to another origin, like Authorization
    manager.download(request)
    // end
}
