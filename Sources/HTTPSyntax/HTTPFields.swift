/// The header fields of a response, in the order received.
///
/// One buffer holds all bytes. A value becomes a string only on request: a response has some twenty fields, and a
/// download reads six of them.
package struct HTTPFields: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether a folded line continues the last entry. False after a skipped line.
    private var endsInField = false

    private static let usualByteCount = 512
    private static let usualCount = 16

    private struct Entry: Sendable {
        let name: Range<Int>
        var value: Range<Int>
    }

    package init() {}

    package var count: Int { entries.count }

    /// Appends one line as received, with or without its line end.
    ///
    /// A line that begins with a blank continues the previous field. A line that is not a field (no colon, an empty
    /// name, a blank before the colon) is skipped. libcurl ignores such lines, and both must see the same fields.
    package mutating func append(line: UnsafeRawBufferPointer) {
        let line = Self.withoutLineEnd(line)
        guard let first = line.first else { return }
        if first.isBlank { return fold(line) }
        endsInField = false
        var colon = 0
        while colon < line.count, line[colon].isTokenByte { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { return }
        let value = Self.trimmed(line[(colon + 1)...])
        append(
            UnsafeRawBufferPointer(rebasing: line[..<value.endIndex]),
            name: 0..<colon,
            value: value.startIndex..<value.endIndex
        )
    }

    package mutating func append(name: String, value: String) {
        let written = Array(name.utf8) + Array(value.utf8)
        written.withUnsafeBytes { append($0, name: 0..<name.utf8.count, value: name.utf8.count..<$0.count) }
    }

    /// The values of all fields of that name; ignores case.
    ///
    /// A value that is not UTF-8 is read as Latin-1.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        for entry in entries where isNamed(entry, name) { values.append(Self.text(bytes[entry.value])) }
        return values
    }

    /// The value of the first field of that name.
    package func first(of name: String) -> String? {
        for entry in entries where isNamed(entry, name) { return Self.text(bytes[entry.value]) }
        return nil
    }

    /// Whether there is a field of that name.
    func contains(_ name: String) -> Bool {
        for entry in entries where isNamed(entry, name) { return true }
        return false
    }

    /// How many bytes ``appendLines(to:)`` writes.
    package var lineBytes: Int { entries.reduce(0) { $0 + $1.name.count + $1.value.count + 2 } }

    /// Writes a line for each field, as `name:value` with a line feed.
    package func appendLines(to lines: inout [UInt8]) {
        for entry in entries {
            lines += bytes[entry.name]
            lines.append(UInt8(ascii: ":"))
            lines += bytes[entry.value]
            lines.append(0x0A)
        }
    }

    private func isNamed(_ entry: Entry, _ name: String) -> Bool {
        entry.name.count == name.utf8.count && bytes.span.extracting(entry.name).spells(name)
    }

    /// Calls `body` with the bytes of each field of that name.
    package func forEachValue(of name: String, _ body: (ArraySlice<UInt8>) -> Void) {
        for entry in entries where isNamed(entry, name) { body(bytes[entry.value]) }
    }

    /// The value that all fields of that name have in common; `nil` if there is no such field, or if they differ.
    package func commonOctets(of name: String) -> ArraySlice<UInt8>? {
        var common: ArraySlice<UInt8>?
        for entry in entries where isNamed(entry, name) {
            let value = bytes[entry.value]
            if let common, !value.span.isSame(as: common.span) { return nil }
            common = value
        }
        return common
    }

    /// Appends a field in one copy, given the ranges of its name and its value.
    private mutating func append(_ written: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>) {
        if entries.isEmpty {
            // Most heads fit, so neither array grows while one is read.
            bytes.reserveCapacity(Self.usualByteCount)
            entries.reserveCapacity(Self.usualCount)
        }
        let start = bytes.count
        bytes.append(contentsOf: written)
        entries.append(
            Entry(
                name: start + name.lowerBound..<start + name.upperBound,
                value: start + value.lowerBound..<start + value.upperBound
            )
        )
        endsInField = true
    }

    private mutating func fold(_ line: UnsafeRawBufferPointer) {
        guard endsInField, var last = entries.popLast() else { return }
        let more = Self.trimmed(line[...])
        if !more.isEmpty {
            if !last.value.isEmpty { bytes.append(0x20) }
            bytes.append(contentsOf: more)
        }
        last.value = last.value.lowerBound..<bytes.count
        entries.append(last)
    }

    package static func text(_ octets: ArraySlice<UInt8>) -> String {
        if let text = octets.span.text { return text }
        var text = ""
        for byte in octets { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    private static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = line.count
        while count > 0, line[count - 1] == 0x0A || line[count - 1] == 0x0D { count -= 1 }
        return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence
    where Bytes.SubSequence: BidirectionalCollection {
        let head = bytes.drop(while: \.isBlank)
        guard let last = head.lastIndex(where: { !$0.isBlank }) else { return head.prefix(0) }
        return head[...last]
    }
}

extension HTTPFields {
    /// Whether a field can be sent safely: its name is a token, and its value has no control character but a tab.
    package static func maySend(name: String, value: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenByte)
            && value.utf8.allSatisfy { !$0.isControl || $0 == UInt8(ascii: "\t") }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { append(name: name, value: value) }
    }
}

extension HTTPFields: CustomStringConvertible {
    /// Only the names: a value may be a secret, such as a cookie.
    package var description: String { entries.map { Self.text(bytes[$0.name]) }.joined(separator: ", ") }
}

extension HTTPFields: Equatable {
    package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.entries.elementsEqual(right.entries) {
            left.bytes[$0.name] == right.bytes[$1.name] && left.bytes[$0.value] == right.bytes[$1.value]
        }
    }
}
