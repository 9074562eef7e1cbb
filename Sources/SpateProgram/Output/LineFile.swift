import Foundation
import Glibc
import SpateConsole

/// The file of `--log` or `--failed`. Lines are appended, each with one system call, so that several processes can share
/// it.
final class LineFile {
    struct Option {
        let name: String
        let unwritable: UsageError.Kind
        let mode: UInt32
        /// What to say when a line could not be written, by the path and the reason.
        let notice: @Sendable (String, String) -> Notice

        static let log = Option(name: "--log", unwritable: .unwritableLog, mode: 0o666, notice: Notice.logFailed)
        static let failed = Option(
            name: "--failed",
            unwritable: .unwritableFailed,
            mode: 0o600,
            notice: Notice.failedFileIncomplete
        )

        /// Checks whether lines can be appended to the file. Does not create it.
        func check(_ path: String) throws(UsageError) {
            if Arguments.isFolder(path) { throw refusal(of: path, EISDIR) }
            let isThere = access(path, F_OK) == 0
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard isThere ? access(path, W_OK) == 0 : access(folder, W_OK | X_OK) == 0 else {
                throw refusal(of: path, errno)
            }
        }

        func refusal(of path: String, _ code: Int32) -> UsageError {
            let reason = String(cString: strerror(code))
            return UsageError(
                unwritable,
                "can't write \(name) \(PlainText.oneLine(path)): \(reason); name a file that you may write"
            )
        }
    }

    let output: LineOutput
    private let path: String
    private let option: Option
    private(set) var hasFailed = false

    /// - Throws: why the file can't be opened.
    init(_ path: String, of option: Option) throws(UsageError) {
        (self.path, self.option) = (path, option)
        guard let output = LineOutput(appendingTo: path, mode: option.mode) else {
            throw option.refusal(of: path, errno)
        }
        self.output = output
    }

    /// Standard output instead of a file.
    init(standardOutputOf option: Option) {
        (path, self.option, output) = ("-", option, StandardStream.output.lines)
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
        return option.notice(path, String(cString: strerror(code)))
    }
}
