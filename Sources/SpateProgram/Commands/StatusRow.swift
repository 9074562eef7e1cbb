import Foundation
import Spate
import SpateConsole
import SpateFilePaths

/// A row of `spate status`: state, amount, name, URL, and why it failed.
struct StatusRow {
    /// In the order of the summary.
    enum State: String, CaseIterable {
        case finished, changed, running, partial, waiting, failed
    }

    let state: State
    let amount: String
    let name: String
    private let origin: URL
    /// Why it failed.
    let error: DownloadError?

    /// Made only when it is shown: a table is measured first, which needs none.
    var url: String { PlainText.oneLine(origin.shown) }

    /// The last column, for programs.
    var whole: String { error.map { "\(url): \(PlainText.oneLine($0.message))" } ?? url }

    /// The last column, for a terminal: the reason first.
    var brief: String { error.map { "\($0.kind): \(url)" } ?? url }

    init(_ download: StoredDownload, _ error: DownloadError?, in paths: FolderPaths) {
        (state, amount) = (State(download), Self.amount(of: download))
        name = PlainText.oneLine(paths.shown(FilePath(download.file.path)))
        (origin, self.error) = (download.url, error)
    }

    /// A download without a file.
    init(_ state: State, _ request: DownloadRequest, _ error: DownloadError? = nil, in paths: FolderPaths) {
        self.state = state
        amount = request.expectedBytes.map { DownloadFormat.amount(0, of: $0) } ?? "-"
        name = PlainText.oneLine(paths.shown(paths.file(of: request)))
        (origin, self.error) = (request.url, error)
    }

    private static func amount(of download: StoredDownload) -> String {
        let amount = DownloadFormat.amount(download.receivedBytes, of: download.totalBytes)
        guard download.isPartial, let total = download.totalBytes, total > 0 else { return amount }
        // Rounded down: 100 % is only for complete files.
        return "\(amount), \(Int(min(Double(download.receivedBytes) / Double(total), 1) * 100)) %"
    }
}

extension StatusRow.State {
    init(_ download: StoredDownload) {
        self = download.isFinished ? .finished : download.isChanged ? .changed : download.isInUse ? .running : .partial
    }
}
