import SpateHTTPSyntax

/// Reads an input line by line. An input with several values has one per line, so that people can read it.
struct InputLines {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next line without its end; empty after the last.
    mutating func next() -> ArraySlice<UInt8> {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return line
    }

    mutating func nextText() -> String { String(decoding: next(), as: UTF8.self) }

    /// The next line as numbers separated by blanks; `nil` for each invalid one.
    mutating func nextNumbers() -> [Int64?] {
        next().split(separator: UInt8(ascii: " ")).map { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// The remaining lines.
    mutating func remaining() -> [ArraySlice<UInt8>] {
        defer { rest = [] }
        return rest.isEmpty ? [] : rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}

extension HTTPFields {
    /// The fields of lines as a transport appends them.
    init(_ lines: [ArraySlice<UInt8>]) {
        self.init()
        for line in lines { line.withUnsafeBytes { append(line: $0) } }
    }
}
