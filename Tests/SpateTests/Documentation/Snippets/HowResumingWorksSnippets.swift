import Foundation
import Spate

private func twoProcesses(_ url: URL, _ manager: DownloadManager) async throws {
    // snippet
    manager.download(url)
    manager.cancelAll()  // or the process ends, in any way

    // Later, in this process or another: only the missing bytes are fetched.
    let file = try await manager.file(for: url)
    // end
    print(file)
}

private func whatIsThere(_ manager: DownloadManager) throws {
    // snippet
    for stored in try manager.storedDownloads() where stored.isPartial {
        print("\(stored.url): \(DownloadFormat.amount(stored.receivedBytes, of: stored.totalBytes))")
    }
    // end
}
