import Foundation

/// What is said, and when: a pipe gets each line at once, too.
enum Terminal {
    private static let isThere = isatty(STDERR_FILENO) == 1

    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    /// For a person who looks on, and for nobody else: a line that the next one takes the place of.
    static func showProgress(_ text: String) {
        if isThere { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    }

    static func clearProgress() {
        if isThere { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}
