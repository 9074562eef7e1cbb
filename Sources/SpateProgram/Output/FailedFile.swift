import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// The file of `--failed`: the lines of failed downloads, as they were read. A line is written when its download fails,
/// with one system call, so a killed run leaves what has failed so far.
final class FailedFile {
    private let output: LineOutput
    private let name: String
    private var hasFailed = false
    /// The lines of the downloads that have not ended.
    private var lines: [Download.ID: String] = [:]

    /// Checks whether the file can be written, and is not another file of the command line. Does not create it.
    static func check(_ arguments: Arguments) throws(UsageError) {
        guard let name = arguments.failed, name != "-" else { return }
        if Arguments.isFolder(name) { throw unwritable(name, EISDIR) }
        let isThere = access(name, F_OK) == 0
        let folder = URL(fileURLWithPath: name).deletingLastPathComponent().path
        guard isThere ? access(name, W_OK) == 0 : access(folder, W_OK | X_OK) == 0 else {
            throw unwritable(name, errno)
        }
        let own = FileIdentity(path: name)
        for (option, other) in arguments.namedFiles where option.name != "failed" {
            let identity = other == "-" ? FileIdentity(descriptor: STDIN_FILENO) : FileIdentity(path: other)
            if FilePath(other) == FilePath(name) || own != nil && identity == own {
                throw UsageError(
                    .failedFileInUse,
                    "--failed \(PlainText.oneLine(name)) is also the file of \(option.longForm), and would be emptied; "
                        + "name another file"
                )
            }
        }
    }

    /// Makes the file, or empties it, for this user alone: lines may have passwords. `-` is standard output.
    ///
    /// - Throws: why that can't be done.
    init(_ name: String) throws(UsageError) {
        self.name = name
        if name == "-" {
            output = StandardStream.output.lines
            return
        }
        guard let output = LineOutput(appendingTo: name, mode: 0o600) else { throw Self.unwritable(name, errno) }
        self.output = output
        // A device or a pipe is the user's.
        guard let number = output.regularFile else { return }
        guard fchmod(number, 0o600) == 0, ftruncate(number, 0) == 0 else { throw Self.unwritable(name, errno) }
    }

    private static func unwritable(_ name: String, _ code: Int32) -> UsageError {
        let reason = String(cString: strerror(code))
        return UsageError(
            .unwritableFailed,
            "can't write --failed \(PlainText.oneLine(name)): \(reason); name a file that you may write"
        )
    }

    /// Keeps the lines of an item until its download ends.
    func note(_ item: DownloadItem, as download: Download) {
        lines[download.id] = item.inputLines(for: download.request)
    }

    /// Writes the lines of a download if it has failed.
    ///
    /// - Returns: a notice about the first failure to write. Later lines are dropped.
    func end(_ download: Download.ID, failed: Bool) -> Notice? {
        guard let lines = lines.removeValue(forKey: download), failed, !hasFailed else { return nil }
        var before = stat()
        let regular = output.regularFile.flatMap { fstat($0, &before) == 0 ? $0 : nil }
        if output.writeLine(lines) { return nil }
        let notice = incomplete(errno)
        // The start of a line would be another URL.
        if let regular { ftruncate(regular, before.st_size) }
        return notice
    }

    /// Waits until the reader of a pipe has all lines, unless a signal stops the program.
    ///
    /// - Returns: a notice if it has not.
    func finish() -> Notice? { output.finish().flatMap { hasFailed ? nil : incomplete($0) } }

    private func incomplete(_ code: Int32) -> Notice {
        hasFailed = true
        return .failedFileIncomplete(name, reason: String(cString: strerror(code)))
    }
}

/// A regular file, whatever its name.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
