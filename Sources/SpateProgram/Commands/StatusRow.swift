import Foundation
import Spate
import SpateConsole
import SpateFilePaths

/// A row of `spate status`: state, amount, name, URL, and why it failed.
///
/// Its texts are made only when they are shown: a table is measured first, and a summary needs none.
struct StatusRow {
    /// In the order of the summary.
    enum State: String, CaseIterable {
        case finished, changed, running, partial, waiting, failed
    }

    let state: State
    /// The bytes on disk.
    let received: Int64
    /// The size of the whole file, if it is known.
    let total: Int64?
    /// Why it failed.
    let error: DownloadError?
    private let origin: URL
    private let paths: FolderPaths
    /// Where the file is, or will be.
    private let file: () -> FilePath

    init(_ download: StoredDownload, _ error: DownloadError?, in paths: FolderPaths) {
        (state, origin, self.error, self.paths) = (State(download), download.url, error, paths)
        (received, total) = (download.receivedBytes, download.totalBytes)
        file = { FilePath(download.file.path) }
    }

    /// A download without a file.
    init(_ state: State, _ request: DownloadRequest, _ error: DownloadError? = nil, in paths: FolderPaths) {
        (self.state, origin, self.error, self.paths) = (state, request.url, error, paths)
        (received, total) = (0, request.expectedBytes)
        file = { paths.file(of: request) }
    }

    var amount: String {
        let amount = DownloadFormat.amount(received, of: total)
        switch state {
        case .finished, .changed: return amount
        case .waiting, .failed: return total == nil ? "-" : amount
        case .running, .partial:
            guard let total, total > 0 else { return amount }
            // Rounded down: 100 % is only for complete files.
            return "\(amount), \(Int(min(Double(received) / Double(total), 1) * 100)) %"
        }
    }

    var name: String { PlainText.oneLine(paths.shown(file())) }

    var url: String { PlainText.oneLine(origin.shown) }

    /// The last column, for programs.
    var whole: String { error.map { "\(url): \(PlainText.oneLine($0.message))" } ?? url }

    /// The last column, for a terminal: the reason first.
    var brief: String { error.map { "\($0.kind): \(url)" } ?? url }

    var json: String {
        let progress = DownloadProgress(receivedBytes: received, totalBytes: total)
        var line = JSONLine(event: "state", url: origin.shown, state: state.rawValue, progress: progress)
        (line.file, line.error) = (file().text, error)
        return line.text
    }
}

extension StatusRow.State {
    init(_ download: StoredDownload) {
        self = download.isFinished ? .finished : download.isChanged ? .changed : download.isInUse ? .running : .partial
    }
}
