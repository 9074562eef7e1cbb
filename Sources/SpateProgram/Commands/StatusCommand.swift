import Foundation
import Spate
import SpateConsole

/// `spate status`: lists the downloads of a folder on standard output, as a table or as JSON.
enum StatusCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        try arguments.checkFolderExists()
        let content: FolderContent
        do {
            content = try FolderContent(of: arguments.manager())
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        if content.isEmpty, !arguments.isQuiet, !arguments.writesJSON {
            StandardStream.error.writeNotice(.nothingStored(in: arguments.folder.path))
        }
        // The queue may have a million downloads: make and write one line at a time.
        let isWritten =
            arguments.writesJSON
            ? content.stored.allSatisfy { StandardStream.output.writeLine(jsonLine(for: $0, content.error(of: $0))) }
                && content.waiting.allSatisfy { StandardStream.output.writeLine(jsonLine(waiting: $0)) }
                && content.failures.allSatisfy { StandardStream.output.writeLine(jsonLine(for: $0)) }
            : table(of: content, in: arguments.folder).allSatisfy(StandardStream.output.writeLine)
        return isWritten ? 0 : StopReason.outputClosed.exitCode
    }

    /// One line for each file: state, amount, name and URL, and why it failed. Waiting and failed downloads without a
    /// file come last.
    static func table(of content: FolderContent, in folder: URL) -> [String] {
        let start = folder.standardizedFileURL.path + "/"
        var rows = content.stored.map { download in
            [
                word(for: download),
                amount(of: download),
                PlainText.oneLine(path(of: download.file, below: start)),
                line(DownloadURL(stored: download.url).shown, content.error(of: download)),
            ]
        }
        rows += content.waiting.map { row("waiting", $0) }
        rows += content.failures.map { row("failed", $0.request, $0.error) }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return (padded + [row[3]]).joined(separator: "  ")
        }
    }

    /// With the folders that come from its URL.
    private static func path(of file: URL, below start: String) -> String {
        file.path.hasPrefix(start) ? String(file.path.dropFirst(start.count)) : file.lastPathComponent
    }

    /// The row of a download without a file.
    private static func row(_ word: String, _ request: DownloadRequest, _ error: DownloadError? = nil) -> [String] {
        let item = DownloadItem(stored: request)
        let amount = request.expectedBytes.map { DownloadFormat.amount(0, of: $0) } ?? "-"
        return [word, amount, item.name, line(item.source.shown, error)]
    }

    private static func line(_ url: String, _ error: DownloadError?) -> String {
        PlainText.oneLine(error.map { "\(url): \($0.message)" } ?? url)
    }

    private static func jsonLine(for download: StoredDownload, _ error: DownloadError?) -> String {
        let progress = DownloadProgress(receivedBytes: download.receivedBytes, totalBytes: download.totalBytes)
        let url = DownloadURL(stored: download.url).shown
        var line = JSONLine(event: "state", url: url, state: word(for: download), progress: progress)
        line.file = download.file.path
        line.error = error
        return line.text
    }

    private static func jsonLine(for failure: StoredFailure) -> String {
        let progress = DownloadProgress(receivedBytes: 0, totalBytes: failure.request.expectedBytes)
        let url = DownloadURL(stored: failure.request.url).shown
        var line = JSONLine(event: "state", url: url, state: "failed", progress: progress)
        line.error = failure.error
        return line.text
    }

    private static func jsonLine(waiting request: DownloadRequest) -> String {
        let progress = DownloadProgress(receivedBytes: 0, totalBytes: request.expectedBytes)
        let url = DownloadURL(stored: request.url).shown
        return JSONLine(event: "state", url: url, state: "waiting", progress: progress).text
    }

    private static func word(for download: StoredDownload) -> String {
        download.isFinished ? "finished" : download.isInUse ? "running" : "partial"
    }

    private static func amount(of download: StoredDownload) -> String {
        let amount = DownloadFormat.amount(download.receivedBytes, of: download.totalBytes)
        guard !download.isFinished, let total = download.totalBytes, total > 0 else { return amount }
        // Rounded down: 100 % is only for complete files.
        return "\(amount), \(Int(Double(download.receivedBytes) / Double(total) * 100)) %"
    }
}
