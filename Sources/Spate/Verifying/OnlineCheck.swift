import Foundation
import SpateLocking

/// Asks the servers of finished files whether they still have them.
///
/// Each question is a download that writes nothing, in a manager of its own: so it has the retries, the limits and the
/// credentials of any download, and nobody sees downloads that they did not enqueue.
final class OnlineCheck: Sendable {
    private let manager: DownloadManager
    private let request: @Sendable (URL) -> DownloadRequest
    private let isOver = Locked(false)

    /// How many questions may wait for an answer.
    var limit: Int { manager.maxConcurrentDownloads }

    init(like manager: DownloadManager, _ request: @escaping @Sendable (URL) -> DownloadRequest) {
        var configuration = manager.configuration
        configuration.maxConcurrentDownloads = manager.maxConcurrentDownloads
        configuration.maxBytesPerSecond = manager.maxBytesPerSecond
        // The found file has its name, and nothing is kept.
        (configuration.fileName, configuration.keepsQueue) = (nil, false)
        self.manager = DownloadManager(configuration: configuration, in: manager.surroundings)
        self.request = request
    }

    /// Asks about a file that is whole, and passes its result on with the answer. A file that Spate did not make, or that
    /// was written to, passes at once.
    func ask(
        about file: URL,
        _ result: VerificationResult,
        _ use: @escaping @Sendable (VerificationResult) -> Void
    ) {
        guard let url = result.url, let known = result.unchanged else { return use(result) }
        var question = request(url)
        if known.isChosenByDocument { question.isChosenByDocument = true }
        // This file: the URL may have several.
        (question.fileName, question.directory) = (file.lastPathComponent, file.deletingLastPathComponent())
        (question.placement, question.checksum, question.mirrors, question.asksOnly) = (.folder, nil, [], true)
        (question.expectedBytes, question.maximumBytes) = (nil, nil)
        (question.replacesExistingFile, question.checksForUpdate, question.skipsExistingFile) = (false, false, false)
        ask(question) { end, isProven in
            var result = result
            result.note(end, isProven: isProven)
            use(result)
        }
    }

    private func ask(_ question: DownloadRequest, _ use: @escaping @Sendable (Result<URL, DownloadError>, Bool) -> Void)
    {
        // Under the lock: what is enqueued is cancelled by the end, before it could take a slot that the end makes free.
        guard let download = isOver.withLock({ $0 ? nil : manager.download(question) }) else { return }
        download.whenEnded { [self] end in
            // A manager asks about one file of a URL at a time.
            if case .failure(let error) = end, error.code == .conflict {
                guard let other = manager[question.url] else { return ask(question, use) }
                return other.whenEnded { [self] _ in ask(question, use) }
            }
            use(end, download.update == .unchanged)
        }
    }

    /// Nobody wants the answers any more.
    func end() {
        isOver.withLock { $0 = true }
        manager.cancelAll()
    }
}
