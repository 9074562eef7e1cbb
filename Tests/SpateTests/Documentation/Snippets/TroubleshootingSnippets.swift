import Foundation
import Spate

private func reading(_ url: URL, _ manager: DownloadManager) async throws {
    // snippet
    do {
        print(try await manager.file(for: url).path)
    } catch let error as DownloadError {
        print(error.message)  // what happened, and what to do
        print(error.code, error.statusCode ?? "no status")
        print(error.isRetryable ? "may work later as it is" : "something must change first")
        print(error.keptPartialFile ? "resumes" : "starts from zero")
    }
    // end
}

private func patience() {
    // snippet
    var configuration = DownloadManager.Configuration()
    configuration.retry.maxRetriesWithoutProgress = 20
    configuration.retry.maximumDelay = .seconds(300)
    configuration.stallTimeout = .seconds(120)
    // end
    _ = configuration
}
