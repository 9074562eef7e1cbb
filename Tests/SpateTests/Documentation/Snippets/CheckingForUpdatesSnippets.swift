import Foundation
import Spate

private func update(_ url: URL, _ manager: DownloadManager) async throws {
    // snippet
    var request = DownloadRequest(url)
    request.checksForUpdate = true
    let download = manager.download(request)
    let file = try await download.file
    switch download.update {
    case .unchanged: print("\(file.path) is up to date")
    case .updated: print("\(file.path) is new")
    case nil: print("\(file.path) was not there before")
    }
    // end
}
