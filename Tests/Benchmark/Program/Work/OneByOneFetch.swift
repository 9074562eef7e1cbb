import Foundation
import Spate

/// What the child of the library's entry does: fetches the files of a list, each of them awaited before the next.
enum OneByOneFetch {
    static func run(list: String, folder: String) async throws {
        let directory = URL(fileURLWithPath: folder, isDirectory: true)
        let manager = DownloadManager(configuration: DownloadManager.Configuration(directory: directory))
        // By bytes: to find the characters of a list takes 13,000 instructions a line.
        for line in try String(contentsOfFile: list, encoding: .utf8).utf8.split(separator: UInt8(ascii: "\n")) {
            let text = String(Substring(line))
            guard let url = URL(string: text) else { throw WorkFailure("\(text) is no URL") }
            _ = try await manager.download(url).file
        }
    }
}
