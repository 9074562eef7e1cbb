import Glibc
import SpateConsole

/// Copies a file to standard output.
enum ContentCopy {
    enum End: Equatable {
        case copied
        /// The reader has closed the pipe.
        case closed
        case failed(Notice)
    }

    static func toStandardOutput(_ path: String) -> End {
        let source = OpenDescriptor(open(path, O_RDONLY | O_CLOEXEC))
        guard source.number >= 0 else { return .failed(.contentNotWritten(code: errno)) }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var isFirst = true
        while true {
            let count = read(source.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failed(.contentNotWritten(code: errno)) }
            if count == 0 { return .copied }
            // As curl decides it.
            if isFirst, StandardStream.output.isTerminal, buffer[..<count].contains(0) {
                return .failed(.binaryContent)
            }
            isFirst = false
            if let code = write(buffer[..<count]) {
                return code == EPIPE ? .closed : .failed(.contentNotWritten(code: code))
            }
        }
    }

    /// Returns the error code, if any.
    private static func write(_ bytes: ArraySlice<UInt8>) -> Int32? {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // The pipe is full, and another process has made it non-blocking.
                var wanted = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
