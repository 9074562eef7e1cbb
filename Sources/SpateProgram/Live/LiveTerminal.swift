import Foundation
import Glibc

/// The terminal at standard error and, where there are keys, at standard input: its size, its mode, and what is written.
///
/// While the program is in the background nothing is written but plain lines, and no key is read.
final class LiveTerminal {
    /// Whether keys are read, when the program is in the foreground.
    let readsKeys: Bool
    private var saved: termios?
    private(set) var isHeld = false

    private static let take = "\u{1B}[?25l"
    private static let takePaste = "\u{1B}[?2004h"
    private static let give = "\u{1B}[0m\u{1B}[?25h"
    private static let givePaste = "\u{1B}[?2004l"

    /// Whether standard error is a terminal that knows more than lines.
    static var canBeDrawnOn: Bool {
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return StandardStream.error.isTerminal && !kind.isEmpty && kind != "dumb"
    }

    /// Whether the user has not asked for none: see no-color.org.
    static var hasColours: Bool { (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty }

    init(readsKeys: Bool) {
        self.readsKeys = readsKeys && isatty(STDIN_FILENO) == 1
    }

    /// Whether the terminal is this program's to draw on.
    var isForeground: Bool {
        let group = tcgetpgrp(STDERR_FILENO)
        // A terminal that is not the one that controls the program has no foreground.
        return group < 0 || group == getpgrp()
    }

    var size: ScreenSize {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Takes the terminal, where that is possible now and not done yet.
    func hold() {
        guard !isHeld, isForeground else { return }
        isHeld = true
        if readsKeys {
            var mode = termios()
            if tcgetattr(STDIN_FILENO, &mode) == 0 {
                saved = mode
                CrashGuard.arm(mode: mode, text: "\r\n" + Self.give + Self.givePaste)
                mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
                withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
                    bytes[Int(VMIN)] = 1
                    bytes[Int(VTIME)] = 0
                }
                tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
                write(Self.take + Self.takePaste)
                return
            }
        }
        CrashGuard.arm(mode: nil, text: "\r\n" + Self.give)
        write(Self.take)
    }

    /// Gives the terminal back as it was.
    func release() {
        guard isHeld else { return }
        isHeld = false
        // A shell that has the terminal now has set it as it likes.
        if isForeground {
            write(Self.give + (saved != nil ? Self.givePaste : ""))
            if var saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &saved) }
        }
        saved = nil
        CrashGuard.disarm()
    }

    /// Something else has had the terminal meanwhile: the mode is as that left it.
    func wasTaken() {
        guard isHeld else { return }
        isHeld = false
        // Set again to what it was before this program first took it, and from there on.
        if isForeground, var saved { tcsetattr(STDIN_FILENO, TCSADRAIN, &saved) }
        saved = nil
        CrashGuard.disarm()
    }

    func write(_ text: String) {
        guard !text.isEmpty else { return }
        StandardStream.error.write(text)
    }

    /// What was typed; `nil` when nothing will be any more.
    func read() -> [UInt8]? {
        guard isHeld, isForeground else { return [] }
        var wanted = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 { return Array(bytes.prefix(count)) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }
}
