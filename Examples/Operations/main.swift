import Foundation
import Spate

// Fetches archives and unpacks each as soon as it is complete: operations that depend on downloads. The exit code is 0
// if all were unpacked, and 1 if not.
//
//     swift run SpateOperations folder https://example.com/archive.tar.gz ...

guard CommandLine.arguments.count > 2 else {
    print("usage: SpateOperations FOLDER URL...")
    exit(2)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let urls = CommandLine.arguments.dropFirst(2).compactMap { URL(string: $0) }

let manager = DownloadManager(directory: folder)

// The manager limits the downloads. The second queue limits the work that needs processors.
let queue = OperationQueue()
let unpacking = OperationQueue()
unpacking.maxConcurrentOperationCount = 2

let unpacks = urls.map { url in
    let fetch = FetchOperation(url, manager: manager)
    let unpack = UnpackOperation(fetch, into: folder)
    // Add the dependency before the queues. An operation may depend on several fetches, also in other queues.
    fetch.addDependent(unpack)
    queue.addOperation(fetch)
    unpacking.addOperation(unpack)
    return unpack
}
unpacking.waitUntilAllOperationsAreFinished()

var failed = 0
for unpack in unpacks {
    switch unpack.result {
    case .success(let folder): print("\(unpack.fetch.url.lastPathComponent): unpacked in \(folder.path)")
    case .failure(let error):
        failed += 1
        print("\(unpack.fetch.url.lastPathComponent): \(error)")
    }
}
exit(failed == 0 ? 0 : 1)
