import Foundation
import Glibc
import SpateConsole

/// The file of `--log`. Lines are appended, each with one system call, so that several processes can share it.
final class LogFile {
    private let descriptor: OpenDescriptor
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
        let number = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o666)
        guard number >= 0 else { throw Self.unwritable(path, errno) }
        descriptor = OpenDescriptor(number)
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
        if descriptor.writeLine(line) { return nil }
        hasFailed = true
        return .logFailed(path, reason: String(cString: strerror(errno)))
    }
}
