import Foundation
import Spate

/// What the child of the library's entry does: fetches the files of a list, each of them awaited before the next.
enum OneByOneFetch {
    static func run(list: String, folder: String) async throws {
        let directory = URL(fileURLWithPath: folder, isDirectory: true)
        let manager = DownloadManager(configuration: DownloadManager.Configuration(directory: directory))
        for line in try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n") {
            guard let url = URL(string: String(line)) else { throw WorkFailure("\(line) is no URL") }
            _ = try await manager.download(url).file
        }
    }
}
