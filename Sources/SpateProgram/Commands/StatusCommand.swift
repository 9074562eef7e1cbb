import Foundation
import Glibc
import Spate
import SpateConsole

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
        let table = StatusTable(content: content, paths: FolderPaths(of: manager))
        let output = { (line: String) in StandardStream.output.writeLine(line) }
        let isWritten =
            if arguments.writesJSON {
                table.rows().allSatisfy { output($0.json) }
            } else if !content.isEmpty, let width = terminalWidth {
                table.write(width: width, showsAll: arguments.listsAll, output)
            } else {
                table.write(output)
            }
        return isWritten ? 0 : StopReason.exitCode(afterOutputError: errno)
    }

    /// The width of the terminal at standard output. `nil` if that is no terminal, so that a program may read it.
    /// `COLUMNS` overrides the terminal's width, as in other programs.
    private static var terminalWidth: Int? {
        guard StandardStream.output.isTerminal else { return nil }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
        if let columns, columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
