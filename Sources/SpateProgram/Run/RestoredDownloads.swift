import Foundation
import Spate

/// The failed and unfinished downloads of a folder, enqueued again.
struct RestoredDownloads: Sendable {
    private(set) var downloads: [Download] = []
    /// Why some are unknown.
    private(set) var failure: DownloadError?

    /// Reads the folder, which may take long.
    init(by manager: DownloadManager, _ arguments: Arguments, _ files: OptionFiles) {
        // Failures first: their requests say more than their partial files, and a partial file joins its request.
        do {
            let failed = try manager.storedFailures().map { failure in
                var request = failure.request
                arguments.complete(&request, files)
                return request
            }
            downloads = manager.download(failed) + manager.restore { arguments.complete(&$0, files) }
            failure = manager.restoreFailure
        } catch {
            failure = error as? DownloadError ?? DownloadError(.fileSystem, error.localizedDescription)
        }
    }
}
