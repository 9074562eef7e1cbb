/// A record of a journal: one line, `CHECKSUM KIND NUMBER REST`. The checksum is the CRC-32 of the rest of the line.
///
///     6c6c4e56 + 17 https://host/file	name=a.bin	max=500
///     35b14ca2 - 17
///     2c837d1e ! 9223372036854775825 https://host/file	name=a.bin	max=500	code=httpStatus	status=404
///
/// In a value a backslash stands before `n`, `t` and `\`, for a line end, a tab and itself.
package enum JournalRecord: Hashable, Sendable {
    /// The download of this number was enqueued.
    case entry(UInt64, JournalEntry)
    /// The download or failure of this number has ended.
    case end(UInt64)
    /// This request has failed. The number is its own: see `failureNumber(of:)`.
    case failure(UInt64, JournalEntry, JournalFailure)

    /// Longer lines are neither written nor read.
    package static let longestLine = 8 << 20

    private static let entryKind = UInt8(ascii: "+")
    private static let endKind = UInt8(ascii: "-")
    private static let failureKind = UInt8(ascii: "!")
    private static let separator = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
    /// The checksum and the space after it.
    private static let prefixLength = emptyPrefix.count
    private static let emptyPrefix = [UInt8](repeating: separator, count: 9)

    private static let failureBit: UInt64 = 1 << 63

    /// The number for the failure of the download of this number.
    ///
    /// Failures have numbers of their own because of earlier versions: they keep records of kinds that they do not know,
    /// but would restore the entry of the same number.
    package static func failureNumber(of number: UInt64) -> UInt64 { number | failureBit }

    package static func isFailure(_ number: UInt64) -> Bool { number & failureBit != 0 }

    /// What an entry says besides its URL, as it is written. The files of a list have the same.
    package struct Fields: Sendable {
        fileprivate var bytes: [UInt8] = []

        package init(_ entry: JournalEntry) {
            for field in entry.fields { JournalRecord.write(field.name, field.value, to: &bytes) }
        }
    }

    /// Appends the line and its end.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .end(let number):
            Self.writeLine(to: &bytes) { Self.write(Self.endKind, number, to: &$0) }
        case .entry(let number, let entry): Self.writeEntry(number, entry.url, Fields(entry), to: &bytes)
        case .failure(let number, var entry, let failure):
            failure.write(to: &entry)
            Self.writeLine(to: &bytes) { Self.write(Self.failureKind, number, entry.url, Fields(entry), to: &$0) }
        }
    }

    /// Appends the line of an entry, and its end.
    package static func writeEntry(_ number: UInt64, _ url: String, _ fields: Fields, to bytes: inout [UInt8]) {
        writeLine(to: &bytes) { write(entryKind, number, url, fields, to: &$0) }
    }

    private static func writeLine(to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        bytes += emptyPrefix
        write(&bytes)
        let sum = CRC32.of(bytes[(start + prefixLength)...])
        for index in 0..<8 { bytes[start + index] = digit(index, of: sum) }
        bytes.append(UInt8(ascii: "\n"))
    }

    private static func write(_ kind: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(kind)
        bytes.append(separator)
        var place: UInt64 = 1
        while number / place > 9 { place *= 10 }
        while place > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / place % 10))
            place /= 10
        }
    }

    private static func write(
        _ kind: UInt8,
        _ number: UInt64,
        _ url: String,
        _ fields: Fields,
        to bytes: inout [UInt8]
    ) {
        write(kind, number, to: &bytes)
        bytes.append(separator)
        write(url, to: &bytes)
        bytes += fields.bytes
    }

    private static func write(_ field: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(tab)
        bytes.append(contentsOf: field.utf8)
        bytes.append(UInt8(ascii: "="))
        write(value, to: &bytes)
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
        case Self.failureKind where Self.isFailure(number):
            guard let rest, var entry = JournalEntry(fields: rest), let failure = JournalFailure(takenFrom: &entry)
            else { return nil }
            self = .failure(number, entry, failure)
        default: return nil
        }
    }

    /// The kind and the number of a line, without its entry.
    enum Head {
        /// Also a kind of a later version. Its download has not ended until its end is read.
        case entry(UInt64)
        case end(UInt64)
        case failure(UInt64)

        /// `nil` if the line is damaged.
        init?(line: ArraySlice<UInt8>) {
            guard let (kind, number, rest) = JournalRecord.parts(of: line) else { return nil }
            switch kind {
            case JournalRecord.endKind where rest == nil: self = .end(number)
            case JournalRecord.failureKind where JournalRecord.isFailure(number): self = .failure(number)
            default: self = .entry(number)
            }
        }
    }

    /// The parts of an undamaged line. The last is the text after the number and a space, if any.
    private static func parts(
        of line: ArraySlice<UInt8>
    ) -> (kind: UInt8, number: UInt64, rest: ArraySlice<UInt8>?)? {
        let body = line.dropFirst(prefixLength)
        guard line.count > prefixLength + 2, line[line.startIndex + 8] == separator,
            body[body.startIndex + 1] == separator
        else { return nil }
        let sum = CRC32.of(body)
        guard (0..<8).allSatisfy({ line[line.startIndex + $0] == digit($0, of: sum) }) else { return nil }
        let afterKind = body.dropFirst(2)
        let digits = afterKind.prefix { $0 != separator }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(String(decoding: digits, as: UTF8.self))
        else { return nil }
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

    /// One of the eight hexadecimal digits of a checksum.
    private static func digit(_ index: Int, of checksum: UInt32) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: checksum >> (28 - 4 * index)) & 0xF
        return digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}
