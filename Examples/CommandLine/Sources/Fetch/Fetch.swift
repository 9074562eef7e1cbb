import Foundation
import Spate

/// Fetches files into the current folder, and prints the progress every second:
///
///     swift run --package-path Examples/CommandLine Fetch https://example.com/index.html ...
@main
enum Fetch {
    static func main() async {
        let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }
        guard !urls.isEmpty else { return end("usage: Fetch URL...", code: 2) }
        var configuration = DownloadManager.Configuration()
        configuration.directory = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        let manager = DownloadManager(configuration: configuration)

        let reports = Task {
            while true {
                try await Task.sleep(for: .seconds(1))
                for download in manager.downloads {
                    guard case .running = download.state else { continue }
                    print("  \(download.url.lastPathComponent): \(download.progress)")
                }
            }
        }
        var failed = 0
        for await (url, result) in manager.results(of: urls) {
            switch result {
            case .success(let file): print(file.lastPathComponent)
            case .failure(let error):
                failed += 1
                print("\(url): \(error.message)")
            }
        }
        reports.cancel()
        end("\(urls.count - failed) of \(urls.count) files fetched.", code: failed == 0 ? 0 : 1)
    }

    private static func end(_ line: String, code: Int32) {
        print(line)
        exit(code)
    }
}
