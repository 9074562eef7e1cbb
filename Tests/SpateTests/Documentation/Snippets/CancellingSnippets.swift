import Foundation
import Spate

private func fetchBoth(_ model: URL, _ tokenizer: URL, _ manager: DownloadManager) async throws {
    // snippet
    try await withThrowingTaskGroup(of: URL.self) { group in
        for url in [model, tokenizer] {
            group.addTask { try await manager.file(for: url) }
        }
        // If one fails, the group cancels the other, and the download of its file ends, too.
        for try await file in group { print(file.path) }
    }
    // end
}
