/// A record of a journal: one line, `CHECKSUM KIND NUMBER REST`. The checksum is the CRC-32 of the rest of the line.
///
///     6c6c4e56 + 17 https://host/file	name=a.bin	max=500
///     35b14ca2 - 17
///
/// In a value a backslash stands before `n`, `t` and `\`, for a line end, a tab and itself.
package enum JournalRecord: Hashable, Sendable {
    /// The download of this number was enqueued.
    case entry(UInt64, JournalEntry)
    /// The download of this number has ended.
    case end(UInt64)

    /// Longer lines are neither written nor read.
    package static let longestLine = 8 << 20

    private static let entryKind = UInt8(ascii: "+")
    private static let endKind = UInt8(ascii: "-")
    private static let separator = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
    /// The checksum and the space after it.
    private static let prefixLength = 9

    /// Appends the line and its end.
    package func write(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(Self.separator, count: Self.prefixLength))
        switch self {
        case .end(let number):
            bytes.append(Self.endKind)
            bytes.append(Self.separator)
            bytes.append(contentsOf: String(number).utf8)
        case .entry(let number, let entry):
            bytes.append(Self.entryKind)
            bytes.append(Self.separator)
            bytes.append(contentsOf: String(number).utf8)
            bytes.append(Self.separator)
            Self.write(entry.url, to: &bytes)
            entry.forEachField { name, value in
                bytes.append(Self.tab)
                bytes.append(contentsOf: name.rawValue.utf8)
                bytes.append(UInt8(ascii: "="))
                Self.write(value, to: &bytes)
            }
        }
        var sum = CRC32.of(bytes[(start + Self.prefixLength)...])
        for index in (start..<start + 8).reversed() {
            let digit = UInt8(truncatingIfNeeded: sum & 0xF)
            bytes[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
            sum >>= 4
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        let span = text.utf8.span
        var isPlain = true
        for index in span.indices where span[index] < 0x20 || span[index] == UInt8(ascii: "\\") { isPlain = false }
        if isPlain {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case tab: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            default: bytes.append(byte)
            }
        }
    }

    /// Reads a line without its end; `nil` if the line is damaged, or of a kind that this version does not know.
    package init?(line: ArraySlice<UInt8>) {
        guard let (kind, number, rest) = Self.parts(of: line) else { return nil }
        switch kind {
        case Self.endKind where rest == nil:
            self = .end(number)
        case Self.entryKind:
            guard let rest, let entry = JournalEntry(fields: rest) else { return nil }
            self = .entry(number, entry)
        default: return nil
        }
    }

    /// The kind and the number of a line, without its entry.
    enum Head {
        /// Also a kind of a later version. Its download has not ended until its end is read.
        case entry(UInt64)
        case end(UInt64)

        /// `nil` if the line is damaged.
        init?(line: ArraySlice<UInt8>) {
            guard let (kind, number, rest) = JournalRecord.parts(of: line) else { return nil }
            self = kind == JournalRecord.endKind && rest == nil ? .end(number) : .entry(number)
        }
    }

    /// The parts of an undamaged line. The last is the text after the number and a space, if any.
    private static func parts(
        of line: ArraySlice<UInt8>
    ) -> (kind: UInt8, number: UInt64, rest: ArraySlice<UInt8>?)? {
        let body = line.dropFirst(prefixLength)
        guard line.count > prefixLength + 2, line[line.startIndex + 8] == separator,
            body[body.startIndex + 1] == separator, let sum = checksum(line.prefix(8)), sum == CRC32.of(body)
        else { return nil }
        let afterKind = body.dropFirst(2)
        let digits = afterKind.prefix { $0 != separator }
        guard let number = UInt64(strictDigits: digits) else { return nil }
        let rest = digits.count < afterKind.count ? afterKind.dropFirst(digits.count + 1) : nil
        return (body[body.startIndex], number, rest)
    }

    /// Calls a closure with the whole lines, without their ends.
    static func forEachLine(of lines: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void) {
        var rest = lines
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            body(rest[..<end])
            rest = rest[(end + 1)...]
        }
    }

    private static func checksum(_ digits: ArraySlice<UInt8>) -> UInt32? {
        var value: UInt32 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}

extension UInt64 {
    fileprivate init?(strictDigits digits: ArraySlice<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            value = sum
        }
        self = value
    }
}

/// The CRC-32 of IEEE 802.3, which detects every error burst of up to 32 bits.
private enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                var value = UInt32.max
                for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8 }
                return ~value
            }
        }
    }
}
