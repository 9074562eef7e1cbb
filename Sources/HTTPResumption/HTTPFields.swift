/// The fields of a response, in the order in which they came.
///
/// All bytes lie in one buffer, and a field is a string only when somebody asks for it: of some twenty fields that a
/// response has, a download looks at six.
package struct HTTPFields: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether a folded line would continue the last entry, or something that was no field.
    private var endsInField = false

    private static let usualByteCount = 512
    private static let usualCount = 16

    private struct Entry: Sendable {
        let name: Range<Int>
        var value: Range<Int>
    }

    package init() {}

    package var count: Int { entries.count }

    /// Appends one line as it came, with its line end or without.
    ///
    /// A line that begins with a blank continues the field before it. What is no field (no colon, an empty name, a
    /// blank before the colon) is left out: libcurl does not obey such a line either, and both must see the same.
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

    /// The values of all fields of that name, whatever its case.
    ///
    /// Bytes that are no UTF-8 are read as Latin-1, so nothing is lost.
    package func values(of name: String) -> [String] {
        octets(of: name).map { Self.text($0) }
    }

    /// The value of the first field of that name.
    package func first(of name: String) -> String? {
        octets(of: name).first.map { Self.text($0) }
    }

    /// The values of all fields of that name as they came.
    func octets(of name: String) -> some Collection<ArraySlice<UInt8>> {
        let length = name.utf8.count
        return entries.lazy
            .filter { $0.name.count == length && bytes.span.extracting($0.name).spells(name) }
            .map { bytes[$0.value] }
    }

    /// What all fields of that name say, byte by byte; `nil` where there is none, and where they differ.
    func undisputedOctets(of name: String) -> ArraySlice<UInt8>? {
        var said: ArraySlice<UInt8>?
        for value in octets(of: name) {
            if let said, !value.span.isSame(as: said.span) { return nil }
            said = value
        }
        return said
    }

    /// Appends a field that is written so: one copy, wherever in it the name and the value lie.
    private mutating func append(_ written: UnsafeRawBufferPointer, name: Range<Int>, value: Range<Int>) {
        if entries.isEmpty {
            // Most heads fit: nothing is to be moved while one is read.
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

    static func text(_ octets: ArraySlice<UInt8>) -> String {
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

extension HTTPFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { append(name: name, value: value) }
    }
}

extension HTTPFields: CustomStringConvertible {
    /// The names alone: a value may be a secret, such as a cookie.
    package var description: String { entries.map { Self.text(bytes[$0.name]) }.joined(separator: ", ") }
}

extension HTTPFields: Equatable {
    package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.entries.elementsEqual(right.entries) {
            left.bytes[$0.name] == right.bytes[$1.name] && left.bytes[$0.value] == right.bytes[$1.value]
        }
    }
}
