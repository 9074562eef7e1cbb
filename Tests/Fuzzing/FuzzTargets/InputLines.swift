/// The bytes of an input, taken line by line: what has several values has one a line, so that a corpus can be read.
struct InputLines {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The next line without its end; empty when there are no more.
    mutating func next() -> ArraySlice<UInt8> {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest.dropFirst(line.count + 1)
        return line
    }

    mutating func nextText() -> String { String(decoding: next(), as: UTF8.self) }

    /// The next line as numbers between blanks; `nil` for each that is none.
    mutating func nextNumbers() -> [Int64?] {
        next().split(separator: UInt8(ascii: " ")).map { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    /// All lines that are left.
    mutating func remaining() -> [ArraySlice<UInt8>] {
        defer { rest = [] }
        return rest.isEmpty ? [] : rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
}
