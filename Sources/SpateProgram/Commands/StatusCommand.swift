import Foundation
import Spate
import SpateConsole

/// `spate status`: lists the files of a folder on standard output, as a table or as JSON.
enum StatusCommand {
    static func run(_ arguments: Arguments) throws(UsageError) -> Int32 {
        try arguments.checkFolderExists()
        let (stored, waiting): ([StoredDownload], [DownloadRequest])
        do {
            let manager = arguments.manager()
            (stored, waiting) = (try manager.storedDownloads(), try manager.storedQueue())
        } catch {
            StandardStream.error.writeNotice(.failure(error.localizedDescription))
            return 1
        }
        if stored.isEmpty, waiting.isEmpty, !arguments.isQuiet, !arguments.writesJSON {
            StandardStream.error.writeNotice(.nothingStored(in: arguments.folder.path))
        }
        // The queue may have a million downloads: make and write one line at a time.
        let isWritten =
            arguments.writesJSON
            ? stored.allSatisfy { StandardStream.output.writeLine(jsonLine(for: $0)) }
                && waiting.allSatisfy { StandardStream.output.writeLine(jsonLine(waiting: $0)) }
            : table(of: stored, waiting).allSatisfy(StandardStream.output.writeLine)
        return isWritten ? 0 : StopReason.outputClosed.exitCode
    }

    /// One line for each file: state, amount, name and URL. Waiting downloads come last.
    static func table(of stored: [StoredDownload], _ waiting: [DownloadRequest] = []) -> [String] {
        var rows = stored.map { download in
            [
                word(for: download),
                amount(of: download),
                PlainText.oneLine(download.file.lastPathComponent),
                PlainText.oneLine(DownloadURL(stored: download.url).shown),
            ]
        }
        rows += waiting.map { request in
            let item = DownloadItem(stored: request)
            let amount = request.expectedBytes.map { DownloadFormat.amount(0, of: $0) } ?? "-"
            return ["waiting", amount, item.name, PlainText.oneLine(item.source.shown)]
        }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return (padded + [row[3]]).joined(separator: "  ")
        }
    }

    static func jsonLine(for download: StoredDownload) -> String {
        let progress = DownloadProgress(receivedBytes: download.receivedBytes, totalBytes: download.totalBytes)
        let url = DownloadURL(stored: download.url).shown
        var line = JSONLine(event: "state", url: url, state: word(for: download), progress: progress)
        line.file = download.file.path
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
