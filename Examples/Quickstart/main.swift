import Foundation
import Spate

// Fetches every URL it is given, three at a time. Stop it and start it again: it goes on where it was.
let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }

for download in DownloadManager.shared.download(urls) {
    do {
        print(try await download.file.path)
    } catch {
        print("\(download.url.lastPathComponent): \(error)")
    }
}
