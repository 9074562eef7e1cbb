import Glibc

/// Writes to a file descriptor, unbuffered. Waits for a reader.
struct LineWriter {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes all bytes, in one system call if possible.
    ///
    /// - Returns: `false` if that failed, with the reason in `errno`.
    func write(all bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // The pipe is full, and another process has made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
