import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate status`: lists the downloads of a folder on standard output: with a summary on a terminal, as a table for other
/// programs, or as JSON.
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
        let isWritten = arguments.writesJSON ? writeJSON(content) : write(content, arguments)
        return isWritten ? 0 : StopReason.exitCode(afterOutputError: errno)
    }

    private static func write(_ content: FolderContent, _ arguments: Arguments) -> Bool {
        let table = StatusTable(of: content, in: arguments.folder)
        let output = { (line: String) in StandardStream.output.writeLine(line) }
        guard let width = TerminalWidth.ofOutput(), !content.isEmpty else { return table.write(output) }
        return table.write(width: width, showsAll: arguments.listsAll, output)
    }

    /// The queue may have a million downloads: make and write one line at a time.
    private static func writeJSON(_ content: FolderContent) -> Bool {
        content.stored.allSatisfy { StandardStream.output.writeLine(jsonLine(for: $0, content.error(of: $0))) }
            && content.waiting.allSatisfy { StandardStream.output.writeLine(jsonLine(waiting: $0)) }
            && content.failures.allSatisfy { StandardStream.output.writeLine(jsonLine(for: $0)) }
    }

    private static func jsonLine(for download: StoredDownload, _ error: DownloadError?) -> String {
        let progress = DownloadProgress(receivedBytes: download.receivedBytes, totalBytes: download.totalBytes)
        let url = DownloadURL(stored: download.url).shown
        var line = JSONLine(event: "state", url: url, state: StatusRow.State(download).rawValue, progress: progress)
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
}
