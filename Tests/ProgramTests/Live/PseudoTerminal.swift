import Foundation
import Glibc
import SpateTestSupport

/// A pseudo terminal, and a program with it as its controlling terminal.
final class PseudoTerminal: Sendable {
    struct State: Sendable, CustomStringConvertible {
        var picture: TerminalPicture
        /// The status of `waitpid`, after the end.
        var status: Int32?

        var description: String {
            "\(status.map { "end \($0)" } ?? "no end"), \(picture.all.joined(separator: "\n"))"
        }
    }

    /// The mode from `tcgetattr`.
    struct Mode: Equatable {
        let input, output, control, local: UInt32
        var echoes: Bool { local & UInt32(ECHO) != 0 && local & UInt32(ICANON) != 0 }
    }

    let pid: pid_t
    private let state: Watched<State>
    private let controller: FileHandle

    init(
        _ path: String,
        _ arguments: [String],
        in folder: TemporaryFolder,
        columns: Int = 80,
        rows: Int = 24,
        environment: [String: String] = [:]
    ) throws {
        // posix_openpt, unlockpt and ptsname: Swift's Glibc module does not have them.
        let number = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (lock, terminal) = (0 as Int32, 0 as UInt32)
        let (setLock, getNumber) = (0x4004_5431 as UInt, 0x8004_5430 as UInt)
        guard number >= 0, ioctl(number, setLock, &lock) == 0, ioctl(number, getNumber, &terminal) == 0 else {
            throw SystemError("a pseudo terminal")
        }
        controller = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        let name = "/dev/pts/\(terminal)"
        state = Watched(State(picture: TerminalPicture(columns: columns, rows: rows)))
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(number, UInt(TIOCSWINSZ), &size)

        var variables = ProcessInfo.processInfo.environment.filter {
            !$0.key.lowercased().hasSuffix("_proxy") && $0.key != "NO_COLOR"
        }
        // On a terminal, the runtime's backtracer would wait for a key after a crash.
        variables.merge(["TERM": "xterm", "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        variables.merge(environment) { $1 }
        let descriptor = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        pid = try SpawnRequest(
            path: "/usr/bin/setsid",
            arguments: ["--ctty", path] + arguments,
            environment: variables,
            folder: folder.path,
            descriptors: [descriptor, descriptor, descriptor]
        ).start()
        Self.follow(pid, number: fcntl(number, F_DUPFD_CLOEXEC, 3), state)
    }

    /// Reads the program's output, and waits for its end.
    private static func follow(_ pid: pid_t, number: Int32, _ state: Watched<State>) {
        Thread {
            defer { close(number) }
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(number, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                // EIO: no program has the terminal open any more.
                guard count > 0 else { break }
                state.update { $0.picture.feed(Array(buffer.prefix(count))) }
            }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            state.update { $0.status = status }
        }.start()
    }

    deinit {
        if state.value.status == nil { kill(pid, SIGKILL) }
    }

    var picture: TerminalPicture { state.value.picture }

    var mode: Mode {
        var mode = termios()
        tcgetattr(controller.fileDescriptor, &mode)
        return Mode(input: mode.c_iflag, output: mode.c_oflag, control: mode.c_cflag, local: mode.c_lflag)
    }

    func type(_ keys: String) throws {
        try controller.write(contentsOf: Data(keys.utf8))
    }

    func send(_ signal: Int32) { kill(pid, signal) }

    /// Sends a signal to the foreground process group.
    func sendToForeground(_ signal: Int32) {
        kill(-tcgetpgrp(controller.fileDescriptor), signal)
    }

    /// Resizes the terminal. The kernel sends SIGWINCH.
    func resize(columns: Int, rows: Int) {
        state.update { $0.picture.resize(columns: columns, rows: rows) }
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller.fileDescriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Waits until the screen fulfils a condition, and returns it.
    @discardableResult
    func wait(
        for what: String,
        fileID: String = #fileID,
        line: Int = #line,
        _ condition: @escaping @Sendable (TerminalPicture) -> Bool
    ) async throws -> TerminalPicture {
        try await state.wait(
            for: what,
            until: { condition($0.picture) },
            fileID: fileID,
            line: line
        ).picture
    }

    /// Waits until a line on the screen contains all of these.
    func waitForLine(_ parts: String..., fileID: String = #fileID, line: Int = #line) async throws {
        try await wait(for: "a line with \(parts)", fileID: fileID, line: line) { picture in
            picture.lines.contains { line in parts.allSatisfy { line.contains($0) } }
        }
    }

    /// The exit code as a shell reports it.
    func exitCode(fileID: String = #fileID, line: Int = #line) async throws -> Int32 {
        let end = try await state.wait(
            for: "the program's end",
            until: { $0.status != nil },
            fileID: fileID,
            line: line
        )
        let status = end.status ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}
