import Foundation
import Spate

/// What failed is kept, until it is enqueued again, deleted or fetched.
extension World {
    /// A user tries again what failed.
    func retryFailures(by manager: DownloadManager, of session: Session) {
        for failure in (try? manager.storedFailures()) ?? [] {
            var request = failure.request
            guard urls.contains(request.url) else { continue }
            if let secret = secret(of: request.url) { request.headers["Authorization"] = "Bearer \(secret)" }
            enqueue(request, by: manager, of: session)
        }
    }

    func noteFailed(_ download: Download, _ error: DownloadError, by manager: DownloadManager?) {
        guard error.code != .cancelled, error.code != .conflict, traits.keepsQueue, isUndisturbed, jobsAreWhole,
            let manager, manager[download.url] == nil
        else { return }
        let isInOwnFolder = download.request.directory == nil
        if isInOwnFolder { failed[download.url] = timeline.now }
        // Without attributes nothing shows that a queue is no forgery, so that it may choose no folder.
        guard isInOwnFolder || traits.disk.hasAttributes else { return }
        // Others may have done it, or be about to do it.
        guard sessions.count == 1, lastProcess == Self.firstProcess, managerCounts == [lastProcess: 1] else { return }
        // The process may end in the middle of the look.
        if !isKept(download.url, by: manager), !manager.isDownloaded(download.request),
            sessions.allSatisfy(\.process.isAlive)
        {
            fail("\(shown(download)) has failed, and is not kept")
        }
    }

    /// The download of this URL is known again, or has ended otherwise.
    func noteNotFailed(_ url: URL) { failed[url] = nil }

    /// A queue is synced within a second.
    func forgetFailuresLostWithThePower() {
        let isInMemory = traits.disk.kind == .tmpfs
        failed = failed.filter { !isInMemory && timeline.now - $0.value > .seconds(1) }
    }

    func isKept(_ url: URL, by manager: DownloadManager) -> Bool {
        ((try? manager.storedFailures()) ?? []).contains { $0.request.url == url }
    }
}
