import Glibc

extension UnsafeRawBufferPointer {
    /// Writes all bytes to a file descriptor, in one system call if possible. Waits for a reader.
    ///
    /// - Returns: `false` if that failed, with the reason in `errno`.
    func writeAll(to descriptor: Int32) -> Bool {
        var rest = self[...]
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
