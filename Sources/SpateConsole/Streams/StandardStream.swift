import Glibc

/// Standard output or standard error, unbuffered. The reader of a pipe sees each line at once, and no line is lost if a
/// signal ends the program.
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

    /// Whether it is a terminal.
    package var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes a line and a line break.
    ///
    /// - Returns: `false` if the pipe or terminal was closed.
    @discardableResult
    package func writeLine(_ line: String) -> Bool { LineWriter(rawValue).writeLine(line) }

    /// Writes all bytes.
    ///
    /// - Returns: `false` if that failed, with the reason in `errno`.
    package func write(all bytes: UnsafeRawBufferPointer) -> Bool { LineWriter(rawValue).write(all: bytes) }

    /// Writes a text as it is, in one system call if possible.
    @discardableResult
    func write(_ text: String) -> Bool { LineWriter(rawValue).write(text) }
}
