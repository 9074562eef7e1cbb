import Foundation
import Glibc
import Spate
import SpateConsole
import SpateFilePaths

/// The file of `--failed`: the lines of failed downloads, as they were read. A line is written when its download fails,
/// with one system call, so a killed run leaves what has failed so far.
final class FailedFile {
    private let file: LineFile
    /// The lines of the downloads that have not ended.
    private var lines: [Download.ID: String] = [:]

    /// Checks whether the file can be written, and is not another file of the command line. Does not create it.
    static func check(_ arguments: Arguments) throws(UsageError) {
        guard let name = arguments.failed, name != "-" else { return }
        try LineFile.Option.failed.check(name)
        let own = FileIdentity(path: name)
        for (option, other) in arguments.namedFiles where option.name != "failed" {
            let identity = FileIdentity(path: other == "-" ? "/dev/stdin" : other)
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
        file = name == "-" ? LineFile(standardOutputOf: .failed) : try LineFile(name, of: .failed)
        // A device or a pipe is the user's.
        guard name != "-", let number = file.output.regularFile else { return }
        guard fchmod(number, 0o600) == 0, ftruncate(number, 0) == 0 else {
            throw LineFile.Option.failed.refusal(of: name, errno)
        }
    }

    /// Keeps the lines of an item until its download ends.
    func note(_ item: DownloadItem, as download: Download) {
        lines[download.id] = item.inputLines(for: download.request)
    }

    /// Writes the lines of a download if it has failed.
    ///
    /// - Returns: a notice about the first failure to write. Later lines are dropped.
    func end(_ download: Download.ID, failed: Bool) -> Notice? {
        guard let lines = lines.removeValue(forKey: download), failed, !file.hasFailed else { return nil }
        var before = stat()
        let regular = file.output.regularFile.flatMap { fstat($0, &before) == 0 ? $0 : nil }
        let notice = file.append(lines)
        // The start of a line would be another URL.
        if notice != nil, let regular { ftruncate(regular, before.st_size) }
        return notice
    }

    /// Waits until the reader of a pipe has all lines, unless a signal stops the program.
    ///
    /// - Returns: a notice if it has not.
    func finish() -> Notice? { file.finish() }
}

/// A regular file, whatever its name.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
