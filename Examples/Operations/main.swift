import Foundation
import Spate

// Fetches archives and unpacks each as soon as it is there: operations that depend on downloads. The exit code is 0 when
// all are unpacked, 1 when some are not.
//
//     swift run Operations folder https://example.com/archive.tar.gz ...

guard CommandLine.arguments.count > 2 else {
    print("usage: Operations FOLDER URL...")
    exit(2)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let urls = CommandLine.arguments.dropFirst(2).compactMap { URL(string: $0) }

var configuration = DownloadManager.Configuration()
configuration.directory = folder
let manager = DownloadManager(configuration: configuration)

// How many downloads run at once is the manager's business; this queue is for what takes processors.
let queue = OperationQueue()
let unpacking = OperationQueue()
unpacking.maxConcurrentOperationCount = 2

let unpacks = urls.map { url in
    let fetch = FetchOperation(url, manager: manager)
    let unpack = UnpackOperation(fetch, into: folder)
    // Before either is in a queue. An operation may depend on any number of fetches, and on operations of other queues.
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
