import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// `spate status`: lists the downloads of a folder on standard output: with a summary on a terminal, as a table for other
/// programs, or as JSON.
enum StatusCommand {
    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.checkFolderExists()
        let manager = arguments.manager()
        let content = try FolderContent(of: manager)
        if content.isEmpty, !arguments.isQuiet, !arguments.writesJSON {
            StandardStream.error.writeNotice(.nothingStored(in: arguments.folder.path))
        }
        let paths = FolderPaths(of: manager)
        let isWritten = arguments.writesJSON ? writeJSON(content, paths) : write(content, paths, arguments)
        return isWritten ? 0 : StopReason.exitCode(afterOutputError: errno)
    }

    private static func write(_ content: FolderContent, _ paths: FolderPaths, _ arguments: Arguments) -> Bool {
        let table = StatusTable(content: content, paths: paths)
        let output = { (line: String) in StandardStream.output.writeLine(line) }
        guard let width = TerminalWidth.ofOutput(), !content.isEmpty else { return table.write(output) }
        return table.write(width: width, showsAll: arguments.listsAll, output)
    }

    /// The queue may have a million downloads: make and write one line at a time.
    private static func writeJSON(_ content: FolderContent, _ paths: FolderPaths) -> Bool {
        func write(
            _ url: URL,
            _ state: StatusRow.State,
            _ file: FilePath,
            _ error: DownloadError?,
            _ progress: DownloadProgress
        ) -> Bool {
            let url = url.shown
            var line = JSONLine(event: "state", url: url, state: state.rawValue, progress: progress)
            (line.file, line.error) = (file.text, error)
            return StandardStream.output.writeLine(line.text)
        }
        func write(_ request: DownloadRequest, _ state: StatusRow.State, _ error: DownloadError? = nil) -> Bool {
            let progress = DownloadProgress(receivedBytes: 0, totalBytes: request.expectedBytes)
            return write(request.url, state, paths.file(of: request), error, progress)
        }
        let isStoredWritten = content.stored.allSatisfy { download in
            let progress = DownloadProgress(receivedBytes: download.receivedBytes, totalBytes: download.totalBytes)
            let file = FilePath(download.file.path)
            return write(download.url, StatusRow.State(download), file, content.error(of: download), progress)
        }
        return isStoredWritten && content.waiting.allSatisfy { write($0, .waiting) }
            && content.failures.allSatisfy { write($0.request, .failed, $0.error) }
    }
}
