import Glibc
import Synchronization

/// Where lines go: a file, a pipe or a terminal. No line waits in this process for another one.
package final class LineOutput: Sendable {
    private enum Way {
        /// A file has no reader to wait for.
        case file(Int32)
        case queue(OutputQueue)
    }

    private let way: Way
    private let owned: OpenDescriptor?
    /// Whether it has lines of which nobody knows yet that they could not be written.
    private let isUnsure = Atomic(false)

    /// The descriptor, if it is a regular file.
    package var regularFile: Int32? { if case .file(let number) = way { number } else { nil } }

    /// For a descriptor of the process, which stays open.
    convenience init(_ number: Int32) { self.init(number, owned: nil) }

    private init(_ number: Int32, owned: OpenDescriptor?) {
        self.owned = owned
        var status = stat()
        if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            way = .file(number)
        } else {
            way = .queue(OutputQueue(isTerminal: isatty(number) == 1) { number })
        }
    }

    /// For a descriptor that leads to the same place as another: their lines keep their order.
    init(sharing other: LineOutput) { (way, owned) = (other.way, nil) }

    /// Opens a file to append to it, or makes it. A pipe without a reader is opened when it has one.
    ///
    /// - Returns: `nil` if that failed, with the reason in `errno`.
    package convenience init?(appendingTo path: String, mode: UInt32) {
        let open = { @Sendable in Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, mode) }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            self.init(pipe: open)
        } else {
            let number = open()
            if number < 0 { return nil }
            self.init(number, owned: OpenDescriptor(number))
        }
    }

    private init(pipe open: @escaping @Sendable () -> Int32) {
        (way, owned) = (.queue(OutputQueue(isTerminal: false, opening: open)), nil)
    }

    /// Writes a line and a line break, in one system call if possible.
    ///
    /// - Returns: `false` if that failed, or an earlier line was lost, with the reason in `errno`.
    package func writeLine(_ line: String) -> Bool {
        var text = line
        text.append("\n")
        return write(text)
    }

    /// Writes a text as it is.
    func write(_ text: String) -> Bool {
        var text = text
        let code = text.withUTF8 { bytes -> Int32? in
            switch way {
            case .file(let number): UnsafeRawBufferPointer(bytes).writeAll(to: number) ? nil : errno
            case .queue(let queue): queue.write(UnsafeRawBufferPointer(bytes))
            }
        }
        isUnsure.store(code == nil, ordering: .relaxed)
        guard let code else { return true }
        errno = code
        return false
    }

    /// Waits until the reader has taken everything. After a stop, only as long as it takes something.
    ///
    /// - Returns: the error number if a line was lost and no call has said so; `EINTR` if a stop ended the wait.
    package func finish() -> Int32? {
        guard case .queue(let queue) = way else { return nil }
        let code = queue.finish()
        return isUnsure.exchange(false, ordering: .relaxed) ? code : nil
    }
}
