import Foundation
import Glibc

/// The terminal at standard error. Also reads keys, if wanted.
///
/// In the background the program writes only plain lines and reads no keys.
package final class LiveTerminal {
    /// The source of keys in the foreground; `nil` to read none.
    private let keys: OpenDescriptor?
    private let output: (String) -> Void
    private var saved: termios?
    private(set) var isHeld = false

    private static let hideCursor = "\u{1B}[?25l"
    private static let markPaste = "\u{1B}[?2004h"
    private static let showCursor = "\u{1B}[0m\u{1B}[?25h"
    private static let unmarkPaste = "\u{1B}[?2004l"

    /// Whether standard error is a terminal that supports cursor movement.
    package static var canBeDrawnOn: Bool {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return StandardStream.error.isTerminal && !kind.isEmpty && kind != "dumb"
    }

    /// What it can show.
    static var style: DrawingStyle { DrawingStyle(environment: ProcessInfo.processInfo.environment) }

    /// Whether standard input is a terminal.
    package static var isStandardInput: Bool { isatty(STDIN_FILENO) == 1 }

    init(readsKeys: Bool, writingTo output: @escaping (String) -> Void = { StandardStream.error.write($0) }) {
        keys = readsKeys ? Self.openKeys() : nil
        self.output = output
    }

    /// Standard input, or if that is a pipe or a file, the controlling terminal.
    private static func openKeys() -> OpenDescriptor? {
        if isStandardInput { return OpenDescriptor(STDIN_FILENO) }
        // Only the controlling terminal has a foreground group. Keys of another terminal are not for this display.
        guard tcgetpgrp(STDERR_FILENO) >= 0 else { return nil }
        let number = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        return number >= 0 ? OpenDescriptor(number) : nil
    }

    /// The file descriptor to read keys from; `nil` to read none.
    var input: Int32? { keys?.number }

    /// Whether this program is in the foreground.
    var isForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        // Only the controlling terminal has a foreground group.
        return group < 0 || group == getpgrp()
    }

    var size: ScreenSize {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Sets the terminal up, if the program is in the foreground and has not done so yet.
    func hold() {
        guard !isHeld, isForeground else { return }
        isHeld = true
        if let input {
            var mode = termios()
            if tcgetattr(input, &mode) == 0 {
                saved = mode
                CrashGuard.arm(mode: mode, of: input, text: "\r\n" + Self.showCursor + Self.unmarkPaste)
                mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
                withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
                    bytes[Int(VMIN)] = 1
                    bytes[Int(VTIME)] = 0
                }
                tcsetattr(input, TCSANOW, &mode)
                write(Self.hideCursor + Self.markPaste)
                return
            }
        }
        CrashGuard.arm(mode: nil, of: STDIN_FILENO, text: "\r\n" + Self.showCursor)
        write(Self.hideCursor)
    }

    /// Restores the terminal.
    func release() {
        guard isHeld else { return }
        if isForeground { write(Self.showCursor + (saved != nil ? Self.unmarkPaste : "")) }
        wasTaken()
    }

    /// Call this after the program was continued: another program may have changed the mode.
    func wasTaken() {
        guard isHeld else { return }
        isHeld = false
        // In the background the shell has already set its own mode. Restore the mode before the first setup: the next
        // setup starts from it.
        // Not after the output: the terminal may show nothing any more.
        if isForeground, var saved, let input { tcsetattr(input, TCSANOW, &saved) }
        saved = nil
        CrashGuard.disarm()
    }

    func write(_ text: String) { if !text.isEmpty { output(text) } }

    /// The input since the last call; `nil` at its end.
    func read() -> [UInt8]? {
        guard let input, isHeld, isForeground else { return [] }
        var wanted = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(input, &bytes, bytes.count)
        if count > 0 { return Array(bytes.prefix(count)) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }
}

struct ScreenSize: Equatable {
    var columns: Int
    var rows: Int
}
