/// Reads the parts of one field value (RFC 9110, 5.6), as they are written by the rules and sometimes against them.
struct FieldScanner {
    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Skips blanks, and returns the next byte.
    mutating func skipBlanks() -> UInt8? {
        while let byte = peek, byte.isBlank { index += 1 }
        return peek
    }

    /// Skips this character, if it comes next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// The bytes before the first that does not belong here.
    mutating func bytes(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while let byte = peek, belongs(byte) { index += 1 }
        return bytes[start..<index]
    }

    /// A quoted string, which begins here; `nil` if its end is missing.
    mutating func quoted() -> [UInt8]? {
        guard take("\"") else { return nil }
        var value: [UInt8] = []
        while var byte = peek {
            index += 1
            if byte == UInt8(ascii: "\"") { return value }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = peek else { return nil }
                byte = escaped
                index += 1
            }
            value.append(byte)
        }
        return nil
    }
}
