import Foundation
import Spate

private func concurrency(_ folder: URL) {
    // snippet
    var configuration = DownloadManager.Configuration(directory: folder)
    configuration.concurrency = .automatic  // as many as help, at most 64
    configuration.concurrencyChanged = { change in
        let server = change.host.map { " from \($0)" } ?? ""
        print("\(change.limit) at once\(server), not \(change.former): \(change.reason)")
    }
    let manager = DownloadManager(configuration: configuration)
    manager.concurrency = .exactly(8)  // takes effect at once
    // end
}

private func rates(_ url: URL) {
    // snippet
    let manager = DownloadManager.shared
    manager.maxBytesPerSecond = 2_000_000  // all downloads together; nil for no limit

    var request = DownloadRequest(url)
    request.maxBytesPerSecond = 500_000  // this one alone
    let download = manager.download(request)
    download.maxBytesPerSecond = nil  // full speed from here on
    // end
}
