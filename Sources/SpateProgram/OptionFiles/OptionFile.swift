import Glibc
import SpateConsole

/// A text file that an option names, read before the first request.
struct OptionFile {
    /// The option as typed: `--cookies`.
    let option: String
    let path: String
    /// The kind of error if the file can't be read.
    let unreadable: UsageError.Kind
    /// Advice that follows the reason why the file can't be read.
    let advice: String

    private var shownPath: String { PlainText.oneLine(path) }

    /// Calls `body` with every line, without the byte order mark at the start of a file and the CR of a CRLF.
    ///
    /// - Throws: why the file can't be read, or the first fault that `body` throws, with its line number.
    func forEachLine(_ body: (String) throws(UsageError) -> Void) throws(UsageError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refused(errno) }
        var lines = LineReader(OpenDescriptor(descriptor))
        var number = 0
        while let line = try next(&lines, number + 1) {
            number += 1
            do throws(UsageError) {
                try body(InputFile.unmarked(line, isFirst: number == 1))
            } catch {
                throw error.found(at: "\(shownPath), line \(number)")
            }
        }
    }

    private func next(_ lines: inout LineReader, _ number: Int) throws(UsageError) -> String? {
        do throws(LineReader.Failure) {
            return try lines.next()
        } catch {
            switch error {
            case .reading(let code): throw refused(code)
            case .lineTooLong, .noLineEnd:
                throw UsageError(
                    .lineTooLong,
                    "\(shownPath), line \(number): longer than \(LineReader.longestLine) bytes; \(advice)"
                )
            }
        }
    }

    private func refused(_ code: Int32) -> UsageError {
        UsageError(
            unreadable,
            "can't read \(option) \(shownPath): \(String(cString: strerror(code))); \(advice)"
        )
    }
}
