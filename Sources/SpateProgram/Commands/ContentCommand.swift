import Foundation
import Glibc
import Spate
import SpateConsole

/// `spate -o - URL`: fetches a file into a folder of its own, and copies it to standard output when it is complete and
/// checked. So no byte is written that is wrong or has to come again.
enum ContentCommand {
    static func run(_ given: Arguments) throws(UsageError) -> Int32 {
        var prepared = try GetCommand.prepare(given)
        let (folder, programs) = (ContentFolder(), RunningPrograms())
        let relay = StopRelay.watching {
            programs.kill()
            folder.remove()
        }
        // Signals are blocked since the line above, so none ends the process between here and the removal.
        try folder.make()
        defer { folder.remove() }
        prepared.arguments.directory = folder.path
        let arguments = prepared.arguments
        GetCommand.sayIfEmpty(prepared)
        let code = try GetCommand.fetch(prepared, programs, relay: relay)
        guard code == 0 else { return code }
        // A reader may take no more, for ever. Nothing is left to be stopped in order.
        relay.pass { signal in
            folder.remove()
            _exit(signal.exitCode)
        }
        guard let file = file(arguments) else { return 0 }
        switch ContentCopy.toStandardOutput(file.path) {
        case .copied: return 0
        case .closed: return StopReason.outputClosed.exitCode
        case .failed(let notice):
            StandardStream.error.writeNotice(notice)
            return 1
        }
    }

    static func noFolder(in parent: String, _ code: Int32) -> UsageError {
        UsageError(
            .contentFolder,
            "--output - first fetches the file into a folder of \(PlainText.oneLine(parent)), which can't be made: "
                + "\(String(cString: strerror(code))); choose another place with TMPDIR"
        )
    }

    /// The finished file. `nil` if the list was empty.
    private static func file(_ arguments: Arguments) -> URL? {
        (try? arguments.manager().storedDownloads())?.first(where: \.isFinished)?.file
    }
}

/// A new folder that only this user can enter, in that of temporary files.
private final class ContentFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("spate-\(UUID().uuidString)").path

    func make() throws(UsageError) {
        guard mkdir(path, 0o700) != 0 else { return }
        throw ContentCommand.noFolder(in: FileManager.default.temporaryDirectory.path, errno)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

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
