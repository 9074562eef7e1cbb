import Foundation
import Spate

// Fetches a list of files, verifies their checksums, and prints a result for each as it ends. The exit code is 0 if all
// files were fetched, and 1 if not.
//
//     swift run SpateBatch list.txt folder
//
// A line of the list is a URL, and optionally the SHA-256 of the file. `#` starts a comment.

guard CommandLine.arguments.count == 3,
    let list = try? String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
else {
    print("usage: SpateBatch LIST FOLDER")
    exit(2)
}
let requests = list.split(whereSeparator: \.isNewline).compactMap { DownloadRequest(line: $0) }

let configuration = DownloadManager.Configuration(
    directory: URL(fileURLWithPath: CommandLine.arguments[2], isDirectory: true),
    maxConcurrentDownloads: 5,
    retry: RetryPolicy(maxRetriesWithoutProgress: 2)
)
let manager = DownloadManager(configuration: configuration)

var failed = 0
for await (url, result) in manager.results(of: requests) {
    switch result {
    case .success(let file):
        print("ok      \(file.lastPathComponent)")
    case .failure(let error):
        failed += 1
        print("FAILED  \(url): \(error.message)")
        print("        \(error.advice)")
    }
}
print("\(requests.count - failed) of \(requests.count) files fetched.")
exit(failed == 0 ? 0 : 1)
