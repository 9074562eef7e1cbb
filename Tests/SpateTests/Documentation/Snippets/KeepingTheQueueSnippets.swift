import Foundation
import Spate

private func setUp(_ folder: URL, _ urls: [URL]) {
    // snippet
    var configuration = DownloadManager.Configuration(directory: folder)
    configuration.keepsQueue = true
    let manager = DownloadManager(configuration: configuration)

    manager.restore()  // what an earlier process had not ended
    manager.download(urls)
    // end
}

private func withSecrets(_ manager: DownloadManager, _ token: String) {
    // snippet
    manager.restore { $0.headers["Authorization"] = "Bearer \(token)" }
    // end
}

private func again(_ manager: DownloadManager) throws {
    // snippet
    for failure in try manager.storedFailures() {
        print(failure.request.url, failure.error)
        manager.download(failure.request)
    }
    // end
}
