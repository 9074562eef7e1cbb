/// The header fields of a response, in the order received.
///
/// One buffer holds all bytes. A value becomes a string only on request: a response has some twenty fields, and a
/// download reads six of them.
package struct HTTPFields: Sendable {
    /// A line for each field: the name, a colon, perhaps blanks, the value without blanks around it, and a line feed.
    package private(set) var lines: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether a folded line continues the last entry. False after a skipped line.
    private var endsInField = false

    private static let usualByteCount = 512
    private static let usualCount = 16

    /// Where a field is in ``lines``.
    private struct Entry: Sendable {
        let start: Int
        let nameCount: Int
        var value: Range<Int>

        var name: Range<Int> { start..<start + nameCount }
    }

    package init() {}

    package var count: Int { entries.count }

    /// Appends one line as received, with or without its line end.
    ///
    /// A line that begins with a blank continues the previous field. A line that is not a field (no colon, an empty
    /// name, a blank before the colon) is skipped. libcurl ignores such lines, and both must see the same fields.
    package mutating func append(line: UnsafeRawBufferPointer) {
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        if end == 0 { return }
        while end > 0, line[end - 1].isBlank { end -= 1 }
        if line[0].isBlank { return fold(UnsafeRawBufferPointer(rebasing: line[..<end])) }
        endsInField = false
        var colon = 0
        while colon < end, line[colon].isTokenByte { colon += 1 }
        guard colon > 0, colon < end, line[colon] == UInt8(ascii: ":") else { return }
        var value = colon + 1
        while value < end, line[value].isBlank { value += 1 }
        if entries.isEmpty {
            // Most heads fit, so neither array grows while one is read.
            lines.reserveCapacity(Self.usualByteCount)
            entries.reserveCapacity(Self.usualCount)
        }
        let start = lines.count
        lines.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[..<end]))
        lines.append(0x0A)
        entries.append(Entry(start: start, nameCount: colon, value: start + value..<start + end))
        endsInField = true
    }

    package mutating func append(name: String, value: String) {
        Array("\(name):\(value)".utf8).withUnsafeBytes { append(line: $0) }
    }

    /// The values of all fields of that name; ignores case.
    ///
    /// A value that is not UTF-8 is read as Latin-1.
    package func values(of name: String) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(Self.text($0)) }
        return values
    }

    /// The value of the first field of that name.
    package func first(of name: String) -> String? { values(of: name).first }

    /// Calls `body` with the bytes of each field of that name.
    package func forEachValue(of name: String, _ body: (ArraySlice<UInt8>) -> Void) {
        let name = name.utf8.span
        for entry in entries where isNamed(entry, name) { body(lines[entry.value]) }
    }

    /// The value that all fields of that name have in common; `nil` if there is no such field, or if they differ.
    package func commonOctets(of name: String) -> ArraySlice<UInt8>? {
        let name = name.utf8.span
        let octets = lines.span
        var common: Range<Int>?
        for entry in entries where isNamed(entry, name) {
            if let common, !octets.extracting(entry.value).isSame(as: octets.extracting(common)) { return nil }
            common = entry.value
        }
        return common.map { lines[$0] }
    }

    private func isNamed(_ entry: Entry, _ name: Span<UInt8>) -> Bool {
        entry.nameCount == name.count && lines.span.extracting(entry.name).spells(name)
    }

    private mutating func fold(_ line: UnsafeRawBufferPointer) {
        let more = line.drop(while: \.isBlank)
        guard endsInField, !more.isEmpty, var last = entries.popLast() else { return }
        lines.removeLast()
        if !last.value.isEmpty { lines.append(0x20) }
        lines.append(contentsOf: more)
        last.value = last.value.lowerBound..<lines.count
        lines.append(0x0A)
        entries.append(last)
    }

    package static func text(_ octets: ArraySlice<UInt8>) -> String {
        if let text = octets.span.text { return text }
        var text = ""
        for byte in octets { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
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
    package var description: String { entries.map { Self.text(lines[$0.name]) }.joined(separator: ", ") }
}
