/// The fields of a response, in the order in which they came.
///
/// All bytes lie in one buffer, and a field is a string only when somebody asks for it: of some twenty fields that a
/// response has, a download looks at six.
package struct HTTPFields: Sendable {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Whether a folded line would continue the last entry, or something that was no field.
    private var endsInField = false

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
        var line = line[...]
        while line.last == 0x0A || line.last == 0x0D { line.removeLast() }
        guard let first = line.first else { return }
        if first.isBlank { return fold(line) }
        endsInField = false
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenByte)
        else { return }
        append(name: line[..<colon], value: Self.trimmed(line[(colon + 1)...]))
    }

    package mutating func append(name: String, value: String) {
        append(name: name.utf8, value: value.utf8)
    }

    /// The values of all fields of that name, whatever its case.
    ///
    /// Bytes that are no UTF-8 are read as Latin-1, so nothing is lost.
    package func values(of name: String) -> [String] {
        entries.lazy.filter { matches($0, name) }.map { text(bytes[$0.value]) }
    }

    /// The value of the first field of that name.
    package func first(of name: String) -> String? {
        entries.first { matches($0, name) }.map { text(bytes[$0.value]) }
    }

    /// What all fields of that name say, byte by byte; `nil` where there is none, and where they differ.
    func undisputedOctets(of name: String) -> ArraySlice<UInt8>? {
        let values = entries.lazy.filter { matches($0, name) }.map { bytes[$0.value] }
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The same as text.
    func undisputedValue(of name: String) -> String? {
        undisputedOctets(of: name).map { text($0) }
    }

    /// The members of a list-valued field, over all fields of that name; empty members are left out.
    package func members(of name: String) -> [String] {
        values(of: name).flatMap { value in
            var isQuoted = false
            var isEscaped = false
            return value.utf8.split { byte in
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                } else if byte == UInt8(ascii: "\\"), isQuoted {
                    isEscaped = true
                }
                return byte == UInt8(ascii: ",") && !isQuoted
            }
            .map { String(Substring(Self.trimmed($0))) }
            .filter { !$0.isEmpty }
        }
    }

    private mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        let middle = bytes.count
        bytes.append(contentsOf: value)
        entries.append(Entry(name: start..<middle, value: middle..<bytes.count))
        endsInField = true
    }

    private mutating func fold(_ line: Slice<UnsafeRawBufferPointer>) {
        guard endsInField, var last = entries.popLast() else { return }
        let more = Self.trimmed(line)
        if !more.isEmpty {
            if !last.value.isEmpty { bytes.append(0x20) }
            bytes.append(contentsOf: more)
        }
        last.value = last.value.lowerBound..<bytes.count
        entries.append(last)
    }

    private func matches(_ entry: Entry, _ name: String) -> Bool {
        guard entry.name.count == name.utf8.count else { return false }
        var index = entry.name.lowerBound
        for byte in name.utf8 {
            guard bytes[index].lowercased == byte.lowercased else { return false }
            index += 1
        }
        return true
    }

    private func text(_ slice: ArraySlice<UInt8>) -> String {
        if let text = String(validating: slice, as: UTF8.self) { return text }
        var text = ""
        for byte in slice { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
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
    package var description: String { entries.map { text(bytes[$0.name]) }.joined(separator: ", ") }
}

extension HTTPFields: Equatable {
    package static func == (left: HTTPFields, right: HTTPFields) -> Bool {
        left.bytes == right.bytes
            && left.entries.elementsEqual(right.entries) { $0.name == $1.name && $0.value == $1.value }
    }
}
