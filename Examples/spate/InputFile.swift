import Glibc

/// A file of URLs, one a line. Blank lines don't count, spaces around a URL don't either, and `#` begins a comment
/// where a line begins or after a space: within a URL it is the fragment.
struct InputFile {
    /// As it was given; `-` is standard input.
    let name: String

    private var shownName: String { name == "-" ? "standard input" : Address.oneLine(name) }

    /// Hands every URL of the file to `body`, in order.
    ///
    /// - Throws: what is wrong, with the number of the line; nothing after it is read.
    func forEachAddress(_ body: (Address) -> Void) throws(UsageError) {
        let descriptor = name == "-" ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var reader = LineReader(descriptor: descriptor)
        var number = 0
        while let line = try next(of: &reader, after: number) {
            number += 1
            let text = Self.content(of: line, isFirst: number == 1)
            guard !text.isEmpty else { continue }
            do {
                body(try Address(text))
            } catch {
                throw UsageError("\(shownName), line \(number): \(error.message)")
            }
        }
    }

    private func next(of reader: inout LineReader, after number: Int) throws(UsageError) -> String? {
        do {
            return try reader.next()
        } catch {
            switch error {
            case .reading(let code): throw unreadable(code)
            case .lineTooLong:
                throw UsageError(
                    "\(shownName), line \(number + 1): longer than \(LineReader.longestLine) bytes; "
                        + "the file must hold one URL a line"
                )
            }
        }
    }

    private func unreadable(_ code: Int32) -> UsageError {
        UsageError("can't read \(shownName): \(String(cString: strerror(code)))")
    }

    /// What a line says, without comment, spaces, the rest of a CRLF, and the mark that some editors begin a file with.
    static func content(of line: String, isFirst: Bool = false) -> String {
        var bytes = Substring(line).utf8
        if isFirst, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        var previous = UInt8(ascii: " ")
        for index in bytes.indices {
            if bytes[index] == UInt8(ascii: "#"), isSpace(previous) {
                bytes = bytes[..<index]
                break
            }
            previous = bytes[index]
        }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
