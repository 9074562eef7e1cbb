import Foundation
import Spate

// snippet: Examples/Quickstart/main.swift

private func steering(_ url: URL) async throws {
    // snippet
    let manager = DownloadManager.shared
    manager.maxConcurrentDownloads = 5

    let download = manager.download(url, progress: { print($0) }) { result in
        // Once, with the file or the reason why there is none.
    }
    manager.pause(url)  // its place is free, its bytes are kept
    manager.resume(url)  // asks for the rest
    manager.cancel(url)  // ends it, keeps the partial file
    try manager.delete(url)  // ends it, removes partial and finished file

    _ = manager[url]?.progress  // "12.3 MB of 40 MB, 3.2 MB/s, 9 s left"
    for await event in download.events { print(event) }  // states and progress, until the end

    manager.restore()  // enqueues what an earlier process left unfinished
    // end
}

private func use(_ values: Any...) {}

extension DownloadManagerDelegate {
    fileprivate func hearing(
        _ manager: DownloadManager,
        urls: [URL],
        url: URL,
        unpack: @escaping @Sendable (URL?) -> Void
    )
        async throws
    {
        // snippet
        for try await (url, file) in manager.files(of: urls) { use(url, file) }  // files as they come, until one fails
        for await (url, result) in manager.results(of: urls) { print(url, result) }  // every URL's result
        for await (download, event) in manager.events { print(download, event) }  // all that happens
        manager.delegate = self  // the same, as calls
        let progress = manager.makeProgress()  // a Foundation.Progress, of all or of one download
        let fetch = FetchOperation(url)  // a whole download as an Operation
        fetch.addDependent(BlockOperation { unpack(fetch.file) })
        // end
        withExtendedLifetime(progress) {}
    }
}
