import Glibc

/// Standard output or standard error, written line by line without a buffer: whoever reads a pipe sees each line at
/// once, and an end by a signal loses none.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Fills the places of standard streams that the caller has closed. Otherwise the next file that is opened would get
    /// the number of one, and what is meant for people would be written into it.
    static func occupyPlaces() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken, and it is this one. Using it the usual way fails, as it would have.
            _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Writes a line and its break.
    ///
    /// - Returns: `false` when nobody can read it any more: the pipe or terminal is closed.
    @discardableResult
    func writeLine(_ line: String) -> Bool {
        var text = line
        text.append("\n")
        return text.withUTF8 { write(all: UnsafeRawBufferPointer($0)) }
    }

    func tell(_ notice: Notice) {
        writeLine(notice.text)
    }

    /// Writes a text as it is, in one call where the system takes it so.
    @discardableResult
    func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { write(all: UnsafeRawBufferPointer($0)) }
    }

    private func write(all bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(rawValue, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A pipe that another process of ours has set to non-blocking is full.
                var wanted = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
