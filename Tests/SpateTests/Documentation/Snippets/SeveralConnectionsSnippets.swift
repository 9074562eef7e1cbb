import Foundation
import Spate

private func numbers(_ url: URL) {
    // snippet
    var configuration = DownloadManager.Configuration()
    configuration.connectionsPerDownload = .exactly(8)  // at once, without a trial; 1 never divides a file

    var request = DownloadRequest(url)
    request.connections = .automatic  // for this file, whatever the configuration says
    // end
    print(configuration, request)
}
