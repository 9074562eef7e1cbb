import Foundation
import Spate

private func overview(_ urls: [URL]) async {
    // snippet
    for await (url, result) in DownloadManager.shared.results(of: urls) {
        switch result {
        case .success(let file): print("\(url): \(file.path)")
        case .failure(let error): print("\(url): \(error.message)")
        }
    }
    // end
}
