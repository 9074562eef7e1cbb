import Glibc

/// Standard output or standard error, unbuffered. The reader of a pipe sees each line at once, and no line is lost if a
/// signal stops the program, unless the reader takes nothing any more.
package enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Opens /dev/null for each standard stream that the caller has closed. Otherwise the next opened file would get its
    /// number, and messages would be written into that file.
    package static func reserveDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this one. Reading or writing it fails, as before.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static let outputLines = LineOutput(STDOUT_FILENO)
    /// If both lead to the same place, their lines keep their order there.
    private static let errorLines = areOne ? LineOutput(sharing: outputLines) : LineOutput(STDERR_FILENO)

    private static var areOne: Bool {
        var (output, error) = (stat(), stat())
        return fstat(STDOUT_FILENO, &output) == 0 && fstat(STDERR_FILENO, &error) == 0
            && output.st_dev == error.st_dev && output.st_ino == error.st_ino && output.st_mode & S_IFMT != S_IFREG
    }

    /// Its lines.
    package var lines: LineOutput {
        switch self {
        case .output: Self.outputLines
        case .error: Self.errorLines
        }
    }

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes a line and a line break.
    ///
    /// - Returns: `false` if the pipe or terminal was closed.
    @discardableResult
    package func writeLine(_ line: String) -> Bool { lines.writeLine(line) }

    /// Writes all bytes, and waits for the reader: for the content of a file, when there is nothing left to stop.
    ///
    /// - Returns: `false` if that failed, with the reason in `errno`.
    package func write(all bytes: UnsafeRawBufferPointer) -> Bool { bytes.writeAll(to: rawValue) }

    /// Writes a text as it is, in one system call if possible.
    @discardableResult
    func write(_ text: String) -> Bool { lines.write(text) }
}
