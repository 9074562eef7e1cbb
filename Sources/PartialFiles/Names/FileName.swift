package import SpateFilePaths

/// A safe name for a file: no separators, no control characters, not `.` or `..`, and unlike the names of partial files
/// and sidecars.
///
/// Fits into 255 bytes even with a hash, `.part` and the affixes of a sidecar.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// In bytes: 255 less `.`, `.1a2b3c4d`, `.part` and `.spate.tmp`.
    package static let maximumLength = 230

    package let path: FilePath
    package var text: String { path.text }

    init(safe text: String) {
        path = FilePath(text)
    }

    init(safe path: FilePath) {
        self.path = path
    }

    package var description: String { text }

    /// The start of the extension in `text`, or the end of `text`. An extension is a dot and up to 16 letters and
    /// digits, such as `.gz`, or `.tar.gz`; `.bashrc` is a name without one.
    static func extensionStart(of text: String) -> String.Index {
        text.utf8.index(text.startIndex, offsetBy: extensionStart(of: text.utf8.span))
    }

    static func extensionStart(of bytes: Span<UInt8>) -> Int {
        guard let last = extensionDot(in: bytes) else { return bytes.count }
        guard let inner = extensionDot(in: bytes.extracting(first: last)), isTar(bytes, inner..<last) else {
            return last
        }
        return inner
    }

    private static func extensionDot(in bytes: Span<UInt8>) -> Int? {
        var index = bytes.count - 1
        while index > 0, bytes[index].isASCIILetterOrDigit { index -= 1 }
        let isExtension = index > 0 && bytes[index] == UInt8(ascii: ".") && (1...16).contains(bytes.count - 1 - index)
        return isExtension ? index : nil
    }

    private static func isTar(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        // Setting this bit makes a letter lower case; a digit does not become one of these letters.
        range.count == 4 && bytes[range.lowerBound + 1] | 0x20 == UInt8(ascii: "t")
            && bytes[range.lowerBound + 2] | 0x20 == UInt8(ascii: "a")
            && bytes[range.lowerBound + 3] | 0x20 == UInt8(ascii: "r")
    }

    /// The name for a second URL that wants this one: `file-1a2b3c4d.zip`.
    package func variant(_ digits: String) -> FileName {
        let start = Self.extensionStart(of: text)
        let ending = text[start...]
        let room = Self.maximumLength - 1 - digits.utf8.count - ending.utf8.count
        return FileName(safe: String(joining: String(text[..<start].cut(toBytes: room)), "-", digits, String(ending)))
    }

    /// Whether it may be the name of a variant, or of its partial file: a hyphen, and eight or sixteen digits of hash
    /// up to a dot or the end.
    package static func mayBeVariant(_ name: FilePath) -> Bool {
        let bytes = name.bytes.span
        var digits: Int?
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "-"): digits = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                digits = digits.map { $0 + 1 }
            case UInt8(ascii: "."):
                if digits == 8 || digits == 16 { return true }
                digits = nil
            default: digits = nil
            }
        }
        return digits == 8 || digits == 16
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}

extension Substring {
    /// The longest prefix of whole characters within `limit` bytes. If the first character does not fit (a letter with
    /// hundreds of accents), of whole scalars.
    func cut(toBytes limit: Int) -> Substring {
        if utf8.count <= limit { return self }
        var end = startIndex
        var room = limit
        for character in self {
            room -= character.utf8.count
            if room < 0 { break }
            end = index(after: end)
        }
        if end > startIndex { return self[..<end] }
        room = limit
        for scalar in unicodeScalars {
            room -= scalar.utf8.count
            if room < 0 { break }
            end = unicodeScalars.index(after: end)
        }
        return self[..<end]
    }
}
