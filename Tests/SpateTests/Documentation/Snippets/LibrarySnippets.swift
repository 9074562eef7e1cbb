import Foundation
import Spate

// snippet: Examples/Quickstart/main.swift

private func steering(_ url: URL) async throws {
    // snippet
    let manager = DownloadManager.shared
    manager.maxConcurrentDownloads = 5

    let download = manager.download(url, progress: { print($0) }) { result in
        // Called once, with the file or the error.
    }
    manager.pause(url)  // frees its slot, keeps the partial file
    manager.resume(url)  // requests the rest
    manager.cancel(url)  // ends it, keeps the partial file
    try manager.delete(url)  // ends it, deletes the partial and the finished file

    _ = manager[url]?.progress  // "12.3 MB of 40 MB, 3.2 MB/s, 9 s left"
    for await event in download.events { print(event) }  // states and progress, until the end

    manager.restore()  // enqueues what an earlier process left unfinished
    await manager.waitUntilIdle()  // returns when nothing is queued, running or waiting for a retry
    // end
}

private func use(_ values: Any...) {}

extension DownloadManagerDelegate {
    fileprivate func observing(
        _ manager: DownloadManager,
        urls: [URL],
        url: URL,
        unpack: @escaping @Sendable (URL?) -> Void
    )
        async throws
    {
        // snippet
        for try await (url, file) in manager.files(of: urls) { use(url, file) }  // completed files, until one fails
        for await (url, result) in manager.results(of: urls) { print(url, result) }  // the result of every URL
        for await (download, event) in manager.events { print(download, event) }  // all events of all downloads
        manager.delegate = self  // the same events, as method calls
        print(manager.progress)  // "3 of 10 files, 12.3 MB of 40 MB, 3.2 MB/s, 9 s left"
        let progress = manager.makeProgress()  // a Foundation.Progress, of all downloads or of one
        let fetch = FetchOperation(url)  // a whole download as an Operation
        fetch.addDependent(BlockOperation { unpack(fetch.file) })
        // end
        withExtendedLifetime(progress) {}
    }
}
