/// What a journal keeps of a request: no headers, no user, no password.
package struct JournalEntry: Hashable, Sendable {
    /// The canonical text of the URL.
    package var url: String
    package var fileName: String?
    /// The path of a folder other than the journal's.
    package var folder: String?
    /// 0 is the normal one; higher comes first.
    package var priority = 0
    package var expectedBytes: Int64?
    package var maximumBytes: Int64?
    /// The algorithm, a colon, and the digest in hexadecimal digits.
    package var checksum: String?
    package var mirrors: [String] = []
    /// 0 leaves the number to Spate.
    package var connections: Int?
    package var replacesExistingFile = false
    package var allowsInsecureRedirects = false
    package var checksForUpdate = false
    package var skipsExistingFile = false
    package var keepsServerTime: Bool?
    package var maxBytesPerSecond: Int64?

    package init(url: String) {
        self.url = url
    }
}

/// A record of a journal: one line, `CHECKSUM KIND NUMBER REST`. The checksum, a CRC-32, is that of what follows it.
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

    /// No longer line is written or read.
    package static let longestLine = 8 << 20

    private static let entryKind = UInt8(ascii: "+")
    private static let endKind = UInt8(ascii: "-")
    private static let separator = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")
    /// The checksum and the space after it.
    private static let prefixLength = 9

    package var number: UInt64 {
        switch self {
        case .entry(let number, _), .end(let number): number
        }
    }

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

    /// Reads a line without its end; `nil` if it is damaged, or if this version does not know what it says.
    package init?(line: ArraySlice<UInt8>) {
        let body = line.dropFirst(Self.prefixLength)
        guard line.count > Self.prefixLength + 2, line[line.startIndex + 8] == Self.separator,
            let sum = Self.checksum(line.prefix(8)), sum == CRC32.of(body)
        else { return nil }
        let kind = body[body.startIndex]
        guard body[body.startIndex + 1] == Self.separator else { return nil }
        let rest = body.dropFirst(2)
        let digits = rest.prefix { $0 != Self.separator }
        guard let number = UInt64(strictDigits: digits) else { return nil }
        switch kind {
        case Self.endKind where digits.count == rest.count:
            self = .end(number)
        case Self.entryKind where digits.count < rest.count:
            guard let entry = JournalEntry(fields: rest.dropFirst(digits.count + 1)) else { return nil }
            self = .entry(number, entry)
        default: return nil
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

// MARK: Fields

extension JournalEntry {
    /// The names of what has another value than the default.
    fileprivate enum Field: String {
        case fileName = "name"
        case folder
        case priority
        case expectedBytes = "size"
        case maximumBytes = "max"
        case checksum
        case mirror
        case connections
        case rate
        case options
    }

    fileprivate func forEachField(_ body: (Field, String) -> Void) {
        if let fileName { body(.fileName, fileName) }
        if let folder { body(.folder, folder) }
        if priority != 0 { body(.priority, String(priority)) }
        if let expectedBytes { body(.expectedBytes, String(expectedBytes)) }
        if let maximumBytes { body(.maximumBytes, String(maximumBytes)) }
        if let checksum { body(.checksum, checksum) }
        for mirror in mirrors { body(.mirror, mirror) }
        if let connections { body(.connections, String(connections)) }
        if let maxBytesPerSecond { body(.rate, String(maxBytesPerSecond)) }
        var options = (replacesExistingFile ? "r" : "") + (allowsInsecureRedirects ? "i" : "")
        options += (checksForUpdate ? "u" : "") + (skipsExistingFile ? "s" : "")
        if let keepsServerTime { options += keepsServerTime ? "t" : "w" }
        if !options.isEmpty { body(.options, options) }
    }

    /// Fields and options that this version does not know are left out. Of a field that occurs twice the last counts,
    /// except for mirrors.
    fileprivate init?(fields bytes: ArraySlice<UInt8>) {
        let parts = bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard let url = parts.first.flatMap(Self.text), !url.isEmpty else { return nil }
        self.init(url: url)
        for part in parts.dropFirst() {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
                let name = String(validating: part[..<equals], as: UTF8.self),
                let value = Self.text(part[(equals + 1)...])
            else { return nil }
            guard let field = Field(rawValue: name) else { continue }
            switch field {
            case .fileName: fileName = value
            case .folder: folder = value
            case .priority: priority = Int(value) ?? 0
            case .expectedBytes: expectedBytes = Int64(value)
            case .maximumBytes: maximumBytes = Int64(value)
            case .checksum: checksum = value
            case .mirror: mirrors.append(value)
            case .connections: connections = Int(value)
            case .rate: maxBytesPerSecond = Int64(value)
            case .options:
                replacesExistingFile = value.utf8.contains(UInt8(ascii: "r"))
                allowsInsecureRedirects = value.utf8.contains(UInt8(ascii: "i"))
                checksForUpdate = value.utf8.contains(UInt8(ascii: "u"))
                skipsExistingFile = value.utf8.contains(UInt8(ascii: "s"))
                // With the server's time, or with that at which it was written.
                keepsServerTime =
                    value.utf8.contains(UInt8(ascii: "t")) ? true : value.utf8.contains(UInt8(ascii: "w")) ? false : nil
            }
        }
    }

    private static func text(_ value: ArraySlice<UInt8>) -> String? {
        guard value.contains(UInt8(ascii: "\\")) else { return String(validating: value, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = value.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.next() {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            default: return nil
            }
        }
        return String(validating: bytes, as: UTF8.self)
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

/// The CRC-32 of IEEE 802.3, which finds every damage of up to 32 bits in a row.
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
