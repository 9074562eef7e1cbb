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
            let isWritten = buffer.withUnsafeBytes {
                StandardStream.output.write(all: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            guard isWritten else {
                return errno == EPIPE ? .closed : .failed(.contentNotWritten(code: errno))
            }
        }
    }
}
