import Foundation
import Spate

// Fetches URLs, three at a time. Stop it and start it again: it continues where it stopped.
//
//     swift run SpateQuickstart https://example.com/index.html ...
let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }

for await (url, result) in DownloadManager.shared.results(of: urls) {
    switch result {
    case .success(let file): print(file.path)
    case .failure(let error): print("\(url.lastPathComponent): \(error.message)")
    }
}
