import SpateHTTPSyntax

/// Reads the parts of an XML document: names, values, runs of text.
struct XMLScanner {
    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte; `nil` at the end.
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    var line: Int { line(at: index) }

    func error(_ fault: XMLError.Fault, at offset: Int? = nil) -> XMLError {
        XMLError(fault: fault, line: line(at: offset ?? index))
    }

    /// Counted only for errors.
    private func line(at offset: Int) -> Int {
        bytes[..<offset].reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }

    /// The bytes as text. They are UTF-8: `checkCharacters` has seen them.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func continues(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        return text.withUTF8Buffer { wanted in
            for offset in 0..<count where bytes[index + offset] != wanted[offset] { return false }
            return true
        }
    }

    /// Skips this text, if it comes next.
    mutating func take(_ text: StaticString) -> Bool {
        guard continues(with: text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// Returns whether there was any white space.
    mutating func skipSpace() -> Bool {
        let start = index
        while let byte = peek, byte.isXMLSpace { index += 1 }
        return index > start
    }

    /// Skips to the end of this text, and returns what is before it.
    mutating func range(before end: StaticString) throws(XMLError) -> Range<Int> {
        let start = index
        while !continues(with: end) {
            guard index < bytes.count else { throw error(.unexpectedEnd) }
            index += 1
        }
        defer { _ = take(end) }
        return start..<index
    }

    /// A name without a colon.
    mutating func name(maximumLength: Int) throws(XMLError) -> Range<Int> {
        let start = index
        while let byte = peek {
            if byte < 0x80 {
                guard index == start ? byte.isXMLNameStart : byte.isXMLNameByte else { break }
                index += 1
            } else {
                let end = index + (byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4)
                guard let scalar = text(index..<end).unicodeScalars.first,
                    index == start ? scalar.isXMLNameStart : scalar.isXMLNameCharacter
                else { break }
                index = end
            }
        }
        guard index > start else { throw error(peek == nil ? .unexpectedEnd : .malformedName) }
        guard index - start <= maximumLength else { throw error(.nameTooLong, at: start) }
        return start..<index
    }

    /// The text before the next markup, and whether it stands for itself.
    mutating func textRun() throws(XMLError) -> (range: Range<Int>, isPlain: Bool) {
        // Local values are faster.
        let (bytes, start) = (bytes, index)
        var (end, isPlain) = (start, true)
        while end < bytes.count, bytes[end] != UInt8(ascii: "<") {
            let byte = bytes[end]
            if byte == UInt8(ascii: "&") || byte == 0x0D {
                isPlain = false
            } else if byte == UInt8(ascii: ">"), end >= start + 2, bytes[end - 1] == UInt8(ascii: "]"),
                bytes[end - 2] == UInt8(ascii: "]")
            {
                throw error(.sectionEndInText, at: end)
            }
            end += 1
        }
        index = end
        return (start..<end, isPlain)
    }

    /// `= "…"` of an attribute, decoded and with white space as blanks.
    mutating func attributeValue(maximumLength: Int) throws(XMLError) -> String {
        let range = try quoted()
        guard range.count <= maximumLength else { throw error(.textTooLong, at: range.lowerBound) }
        var isPlain = true
        for index in range {
            let byte = bytes[index]
            if byte == UInt8(ascii: "<") { throw error(.lessThanInAttribute, at: index) }
            if byte == UInt8(ascii: "&") || byte < 0x20 { isPlain = false }
        }
        if isPlain { return text(range) }
        return String(decoding: try decoded(range, spacesAreBlanks: true), as: UTF8.self)
    }

    /// The range between the quotes after an equals sign.
    private mutating func quoted() throws(XMLError) -> Range<Int> {
        _ = skipSpace()
        guard take("=") else { throw error(peek == nil ? .unexpectedEnd : .malformedTag) }
        _ = skipSpace()
        if take("\"") { return try range(before: "\"") }
        if take("'") { return try range(before: "'") }
        throw error(peek == nil ? .unexpectedEnd : .malformedTag)
    }

    /// The text with plain line ends, and with its references replaced, if it may have any.
    func decoded(
        _ range: Range<Int>,
        hasReferences: Bool = true,
        spacesAreBlanks: Bool = false
    ) throws(XMLError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if hasReferences, byte == UInt8(ascii: "&") {
                let rest = bytes[(index + 1)..<range.upperBound]
                guard let end = rest.firstIndex(of: UInt8(ascii: ";")),
                    let scalar = Self.scalar(of: rest[..<end]), let encoded = UTF8.encode(scalar)
                else { throw error(.invalidReference, at: index) }
                output.append(contentsOf: encoded)
                index = end + 1
                continue
            }
            index += 1
            if byte == 0x0D, index < range.upperBound, bytes[index] == 0x0A { continue }
            if spacesAreBlanks, byte.isXMLSpace {
                output.append(UInt8(ascii: " "))
            } else {
                output.append(byte == 0x0D ? 0x0A : byte)
            }
        }
        return output
    }

    /// The character of a reference, without its `&` and `;`.
    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard reference.first == UInt8(ascii: "#") else {
            switch String(decoding: reference.prefix(8), as: UTF8.self) {
            case "lt": return "<"
            case "gt": return ">"
            case "amp": return "&"
            case "apos": return "'"
            case "quot": return "\""
            default: return nil
            }
        }
        let isHexadecimal = reference.dropFirst().first == UInt8(ascii: "x")
        let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
        if digits.isEmpty { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard let digit = digit.hexadecimalValue, isHexadecimal || digit < 10 else { return nil }
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            if value > 0x10FFFF { return nil }
        }
        return Unicode.Scalar(value).flatMap { $0.isXMLCharacter ? $0 : nil }
    }
}

extension XMLScanner {
    /// Skips a processing instruction, after its `<?`.
    mutating func skipInstruction() throws(XMLError) {
        let start = index
        let target = try name(maximumLength: bytes.count)
        // An XML declaration stands only at the very start.
        guard !bytes[target].span.spells("xml") else { throw error(.malformedDeclaration, at: start) }
        guard continues(with: "?>") || skipSpace() else {
            throw error(peek == nil ? .unexpectedEnd : .malformedMarkup)
        }
        _ = try range(before: "?>")
    }

    /// Skips a byte order mark and the XML declaration, if they are there.
    mutating func skipDeclaration() throws(XMLError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        guard continues(with: "<?xml"), index + 5 < bytes.count, bytes[index + 5].isXMLSpace else { return }
        index += 5
        guard let version = try declared("version"), version.hasPrefix("1."), version.utf8.count > 2,
            version.utf8.dropFirst(2).allSatisfy({ $0 &- 0x30 < 10 })
        else { throw error(.malformedDeclaration) }
        if let encoding = try declared("encoding") {
            guard encoding.utf8.span.spells("utf-8") || encoding.utf8.span.spells("us-ascii") else {
                throw error(.unsupportedEncoding(encoding))
            }
        }
        if let standalone = try declared("standalone"), standalone != "yes", standalone != "no" {
            throw error(.malformedDeclaration)
        }
        _ = skipSpace()
        guard take("?>") else { throw error(peek == nil ? .unexpectedEnd : .malformedDeclaration) }
    }

    /// A value of the XML declaration; `nil` if another name comes next.
    private mutating func declared(_ name: StaticString) throws(XMLError) -> String? {
        let start = index
        guard skipSpace(), take(name) else {
            index = start
            return nil
        }
        let value: Range<Int>
        do throws(XMLError) {
            value = try quoted()
        } catch {
            throw error.fault == .unexpectedEnd ? error : XMLError(fault: .malformedDeclaration, line: error.line)
        }
        // All values are names or numbers, so that a message can quote them.
        guard value.count <= 40, bytes[value].allSatisfy(\.isXMLNameByte) else {
            throw error(.malformedDeclaration, at: value.lowerBound)
        }
        return text(value)
    }

    /// Throws unless all bytes are UTF-8, and of characters that XML allows.
    func checkCharacters() throws(XMLError) {
        do {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw self.error(.notUTF8, at: error.byteOffsets.lowerBound)
        }
        for (index, byte) in bytes.enumerated() {
            // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
            let isAllowed = byte >= 0x20 ? byte < 0xBE || !isNoncharacter(endingAt: index) : byte.isXMLSpace
            guard isAllowed else { throw error(.invalidCharacter, at: index) }
        }
    }

    private func isNoncharacter(endingAt index: Int) -> Bool {
        (0xBE...0xBF).contains(bytes[index]) && index >= 2 && bytes[index - 1] == 0xBF && bytes[index - 2] == 0xEF
    }
}
