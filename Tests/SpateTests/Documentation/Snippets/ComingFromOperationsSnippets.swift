import Foundation
import Spate

private func one(_ url: URL, queue: OperationQueue, unpack: @escaping @Sendable (URL) -> Void) {
    // snippet
    let fetch = FetchOperation(url)
    let unpacking = BlockOperation {
        guard let file = fetch.file else { return }  // failed: fetch.result has the error
        unpack(file)
    }
    fetch.addDependent(unpacking)
    queue.addOperation(fetch)
    queue.addOperation(unpacking)
    // end
}

private func many(_ urls: [URL], queue: OperationQueue, merge: @escaping @Sendable ([URL]) -> Void) {
    // snippet
    let fetches = urls.map { FetchOperation($0) }
    let merging = BlockOperation { merge(fetches.compactMap(\.file)) }
    for fetch in fetches { fetch.addDependent(merging) }
    queue.addOperations(fetches + [merging], waitUntilFinished: false)
    // end
}

private func after(_ url: URL, queue: OperationQueue, logIn: Operation) {
    // snippet
    let fetch = FetchOperation(url)
    fetch.addDependency(logIn)  // enqueue the download after this
    queue.addOperations([logIn, fetch], waitUntilFinished: false)
    // end
}

private func known(_ url: URL, queue: OperationQueue, manager: DownloadManager, show: Operation) {
    // snippet
    let download = manager.download(url)
    let end = FetchOperation(download)  // finishes when the download ends
    end.addDependent(show)
    // end
    queue.addOperations([end, show], waitUntilFinished: false)
}
