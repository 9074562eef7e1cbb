import Foundation
import Spate

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
