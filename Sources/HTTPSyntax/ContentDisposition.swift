/// The names for a file in a `Content-Disposition` field (RFC 6266), best first: `filename*`, then `filename`.
///
/// The names are as the server wrote them, and may be anything: a path, or a control character.
package enum ContentDisposition {
    /// Longer values are ignored.
    package static let maximumLength = 8_192

    /// The names in a response; none if its fields differ, or if the field cannot be read.
    package static func fileNames(in fields: HTTPFields) -> [String] {
        guard let value = fields.commonOctets(of: "content-disposition"), value.count <= maximumLength else {
            return []
        }
        var scanner = ParameterScanner(Array(value))
        return scanner.names() ?? []
    }

    /// Decodes an extended value (RFC 8187): `UTF-8'en'%e2%82%ac.txt`, or the same in ISO-8859-1.
    static func decoded(_ value: ArraySlice<UInt8>) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[2]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
                bytes.append(high << 4 | low)
            } else {
                guard byte.isExtendedValueByte else { return nil }
                bytes.append(byte)
            }
        }
        let charset = parts[0]
        if charset.span.spells("utf-8") { return String(validating: bytes, as: UTF8.self) }
        guard charset.span.spells("iso-8859-1") else { return nil }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// Reads the parameters of one value. Servers often write `filename=annual report.pdf`: a value without quotes ends at
/// a semicolon.
private struct ParameterScanner {
    private struct Value {
        let bytes: ArraySlice<UInt8>
        let isQuoted: Bool
    }

    private var scanner: FieldScanner

    init(_ bytes: [UInt8]) {
        scanner = FieldScanner(bytes)
    }

    /// `nil` if the value cannot be read, or has a name twice.
    mutating func names() -> [String]? {
        var (extended, plain): (Value?, Value?)
        // The type, such as `attachment`, changes nothing here. Some servers leave it out.
        var beginsHere = nextIsParameter
        if !beginsHere { _ = unquoted() }
        while scanner.skipBlanks() != nil {
            guard beginsHere || scanner.take(";") else { return nil }
            beginsHere = false
            guard let next = scanner.skipBlanks(), next != UInt8(ascii: ";") else { continue }
            let name = scanner.bytes(while: \.isTokenByte)
            _ = scanner.skipBlanks()
            guard !name.isEmpty, scanner.take("="), let value = value() else { return nil }
            if name.span.spells("filename*") {
                if extended != nil { return nil }
                extended = value
            } else if name.span.spells("filename") {
                if plain != nil { return nil }
                plain = value
            }
        }
        // An extended value has no quotes.
        let first = extended.flatMap { $0.isQuoted ? nil : ContentDisposition.decoded($0.bytes) }
        return [first, plain.map { HTTPFields.text($0.bytes) }].compactMap(\.self)
    }

    /// Whether a parameter comes first, without a type.
    private var nextIsParameter: Bool {
        scanner.bytes.first { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") } == UInt8(ascii: "=")
    }

    private mutating func value() -> Value? {
        if scanner.skipBlanks() == UInt8(ascii: "\"") {
            return scanner.quoted().map { Value(bytes: $0[...], isQuoted: true) }
        }
        return unquoted().map { Value(bytes: $0, isQuoted: false) }
    }

    /// All bytes before the next semicolon, without the blanks around them; `nil` if there are quotes among them.
    private mutating func unquoted() -> ArraySlice<UInt8>? {
        let value = HTTPFields.trimmed(scanner.bytes { $0 != UInt8(ascii: ";") })
        return value.contains(UInt8(ascii: "\"")) ? nil : value
    }
}

extension UInt8 {
    /// A byte that needs no escape in an extended value (RFC 8187, `attr-char`).
    fileprivate var isExtendedValueByte: Bool {
        isTokenByte && self != UInt8(ascii: "*") && self != UInt8(ascii: "'") && self != UInt8(ascii: "%")
    }
}
