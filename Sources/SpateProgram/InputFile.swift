import Glibc

/// A file of URLs, one a line. Blank lines don't count, spaces around a URL don't either, and `#` begins a comment
/// where a line begins or after a space: within a URL it is the fragment.
struct InputFile: Sendable {
    /// As it was given; `-` is standard input.
    let name: String

    private var isStandardInput: Bool { name == "-" }
    private var shownName: String { isStandardInput ? "standard input" : Address.oneLine(name) }

    /// - Throws: why it can't be read, as far as that can be told without opening it.
    func check() throws(UsageError) {
        guard !isStandardInput else { return }
        guard access(name, R_OK) == 0 else { throw Self.unreadable(shownName, errno) }
        var status = stat()
        if stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw Self.unreadable(shownName, EISDIR) }
    }

    func opened() throws(UsageError) -> AddressReader {
        let descriptor = isStandardInput ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(shownName, errno) }
        return AddressReader(OpenDescriptor(descriptor), name: shownName)
    }

    /// Hands every URL of the file to `body`, in order.
    ///
    /// - Throws: what is wrong, with the number of the line; nothing after it is read.
    func forEachAddress(_ body: (Address) -> Void) throws(UsageError) {
        var reader = try opened()
        while let address = try reader.next() { body(address) }
    }

    static func unreadable(_ name: String, _ code: Int32) -> UsageError {
        let reason =
            switch code {
            case ENOENT where name.contains("://"):
                "it names a file, and this is a URL; fetch it first, or: curl -s URL | spate --input -"
            case ENOENT: "there is no such file; check its name and the folder that it is looked for in"
            case EISDIR: "it is a folder; name a file with a URL on each line, or - for standard input"
            default: "\(String(cString: strerror(code))); name a file that you may read, or - for standard input"
            }
        return UsageError(.unreadableInput, "can't read --input \(name): \(reason)")
    }

    /// What a line says, without comment, spaces, the rest of a CRLF, and the mark that some editors begin a file with.
    static func content(of line: String, isFirst: Bool = false) -> String {
        let bytes = line.utf8.span
        var start = 0
        if isFirst, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
        while start < bytes.count, isSpace(bytes[start]) { start += 1 }
        var end = start
        for index in start..<bytes.count where !isSpace(bytes[index]) {
            let mayBeginComment = index == start || isSpace(bytes[index - 1])
            if mayBeginComment, bytes[index] == UInt8(ascii: "#") { break }
            end = index + 1
        }
        if start == 0, end == bytes.count { return line }
        return String(Substring(line.utf8.prefix(end).dropFirst(start)))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
