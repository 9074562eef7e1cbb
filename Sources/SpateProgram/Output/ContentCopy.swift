import Glibc
import SpateConsole

/// Copies a file to standard output.
enum ContentCopy {
    /// Says what went wrong, and returns the exit code.
    static func toStandardOutput(_ path: String) -> Int32 {
        let source = OpenDescriptor(open(path, O_RDONLY | O_CLOEXEC))
        guard source.number >= 0 else { return failed(.contentNotWritten(code: errno)) }
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var isFirst = true
        while true {
            let count = read(source.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return failed(.contentNotWritten(code: errno)) }
            if count == 0 { return 0 }
            // As curl decides it.
            if isFirst, StandardStream.output.isTerminal, buffer[..<count].contains(0) {
                return failed(.binaryContent)
            }
            isFirst = false
            let isWritten = buffer.withUnsafeBytes {
                StandardStream.output.write(all: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            guard isWritten else {
                return errno == EPIPE ? StopReason.outputClosed.exitCode : failed(.contentNotWritten(code: errno))
            }
        }
    }

    private static func failed(_ notice: Notice) -> Int32 {
        StandardStream.error.writeNotice(notice)
        return 1
    }
}
