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
        let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
        let manager = DownloadManager(directory: folder)

        let reports = Task {
            while true {
                try await Task.sleep(for: .seconds(1))
                for download in manager.downloads where download.state.isRunning {
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
