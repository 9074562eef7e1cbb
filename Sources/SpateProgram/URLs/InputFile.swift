import Glibc

/// A file of URLs, one a line. Blank lines and spaces around a URL are ignored. `#` starts a comment at the start of a
/// line or after a space. Within a URL it starts the fragment.
struct InputFile: Sendable {
    /// The name as it was given. `-` means standard input.
    let name: String

    private var isStandardInput: Bool { name == "-" }
    private var shownName: String { isStandardInput ? "standard input" : PlainText.oneLine(name) }

    /// - Throws: why the file can't be read, as far as this is known without opening it.
    func check() throws(UsageError) {
        guard !isStandardInput else { return }
        guard access(name, R_OK) == 0 else { throw Self.unreadable(shownName, errno) }
        var status = stat()
        if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw Self.unreadable(shownName, EISDIR) }
    }

    func opened() throws(UsageError) -> InputFileReader {
        let descriptor = isStandardInput ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(shownName, errno) }
        return InputFileReader(OpenDescriptor(descriptor), name: shownName)
    }

    /// Calls `body` with every URL of the file, in order.
    ///
    /// - Throws: the first fault, with its line number.
    func forEachAddress(_ body: (DownloadURL) -> Void) throws(UsageError) {
        var reader = try opened()
        while let source = try reader.next() { body(source) }
    }

    static func unreadable(_ name: String, _ code: Int32) -> UsageError {
        let reason =
            switch code {
            case ENOENT where name.contains("://"):
                "--input takes a file, and this is a URL; use curl -s URL | spate --input -"
            case ENOENT: "no such file; check the name and the current folder"
            case EISDIR: "it is a folder; name a file with one URL a line, or - for standard input"
            default: "\(String(cString: strerror(code))); name a file that you may read, or - for standard input"
            }
        return UsageError(.unreadableInput, "can't read --input \(name): \(reason)")
    }

    /// A line without comment, surrounding spaces, the CR of a CRLF, and the byte order mark at the start of a file.
    static func content(of line: String, isFirst: Bool = false) -> String {
        let bytes = line.utf8.span
        var start = 0
        if isFirst, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
        while start < bytes.count, isSpace(bytes[start]) { start += 1 }
        var end = start
        for index in start..<bytes.count where !isSpace(bytes[index]) {
            let mayStartComment = index == start || isSpace(bytes[index - 1])
            if mayStartComment, bytes[index] == UInt8(ascii: "#") { break }
            end = index + 1
        }
        if start == 0, end == bytes.count { return line }
        return String(Substring(line.utf8.prefix(end).dropFirst(start)))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}

/// Reads the URLs of an open file one by one.
struct InputFileReader: Sendable {
    /// The name of the file in messages.
    private let name: String
    /// `nil` after a read error.
    private var lines: LineReader?
    private var number = 0

    init(_ descriptor: OpenDescriptor, name: String) {
        self.name = name
        lines = LineReader(descriptor)
    }

    /// The next URL, or `nil` at the end.
    ///
    /// - Throws: what is wrong, with the line number. The following call continues after that line.
    mutating func next() throws(UsageError) -> DownloadURL? {
        while let line = try nextLine() {
            number += 1
            let text = InputFile.content(of: line, isFirst: number == 1)
            guard !text.isEmpty else { continue }
            do {
                return try DownloadURL(text)
            } catch {
                throw error.found(at: "\(name), line \(number)")
            }
        }
        return nil
    }

    private mutating func nextLine() throws(UsageError) -> String? {
        do {
            return try lines?.next()
        } catch {
            lines = nil
            switch error {
            case .reading(let code): throw InputFile.unreadable(name, code)
            case .lineTooLong:
                throw UsageError(
                    .lineTooLong,
                    "\(name), line \(number + 1): longer than \(LineReader.longestLine) bytes; "
                        + "give a file with one URL a line"
                )
            }
        }
    }
}
