import Foundation
import Glibc
import SpateConsole

/// The width of the terminal at standard output.
enum TerminalWidth {
    /// `nil` if standard output is no terminal, so that a program may read it. `COLUMNS` overrides the terminal's width,
    /// as in other programs.
    static func ofOutput(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Int? {
        guard StandardStream.output.isTerminal else { return nil }
        if let columns = environment["COLUMNS"].flatMap(Int.init), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
