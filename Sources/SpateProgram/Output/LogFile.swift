import Foundation
import Glibc
import SpateConsole

/// The file of `--log`. Lines are appended, each with one system call, so that several processes can share it.
final class LogFile {
    private let output: LineOutput
    private let path: String
    private var hasFailed = false

    /// Checks whether lines can be appended to the file. Does not create it.
    static func check(_ path: String) throws(UsageError) {
        if Arguments.isFolder(path) { throw unwritable(path, EISDIR) }
        let isThere = access(path, F_OK) == 0
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard isThere ? access(path, W_OK) == 0 : access(folder, W_OK | X_OK) == 0 else {
            throw unwritable(path, errno)
        }
    }

    /// - Throws: why the file can't be opened.
    init(_ path: String) throws(UsageError) {
        self.path = path
        guard let output = LineOutput(appendingTo: path, mode: 0o666) else { throw Self.unwritable(path, errno) }
        self.output = output
    }

    private static func unwritable(_ path: String, _ code: Int32) -> UsageError {
        let reason = String(cString: strerror(code))
        return UsageError(
            .unwritableLog,
            "can't write --log \(PlainText.oneLine(path)): \(reason); name a file that you may write"
        )
    }

    /// Appends a line.
    ///
    /// - Returns: a notice about the first failure. Later lines are dropped, so that the file has no gap.
    func append(_ line: String) -> Notice? {
        guard !hasFailed else { return nil }
        return output.writeLine(line) ? nil : failed(errno)
    }

    /// Waits until the reader of a pipe has all lines, unless a signal stops the program.
    ///
    /// - Returns: a notice if it has not.
    func finish() -> Notice? { output.finish().flatMap { hasFailed ? nil : failed($0) } }

    private func failed(_ code: Int32) -> Notice {
        hasFailed = true
        return .logFailed(path, reason: String(cString: strerror(code)))
    }
}
