/// The name of one file in a folder, safe to use there: no separators, no control characters, never `.` or `..`, and
/// never one that could be taken for a partial file or for a record beside a file.
///
/// It is short enough that what Spate puts around it (a hash, `.part`, the affixes of a sidecar) still fits into the
/// 255 bytes that file systems allow.
package struct FileName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name, in bytes: 255 less `.` and `.1a2b3c4d` and `.part` and `.spate.tmp`.
    package static let maximumLength = 230

    package let text: String

    init(safe text: String) {
        self.text = text
    }

    package var description: String { text }

    // By bytes, as the file system compares them: Swift calls two strings equal that differ in normalisation.
    package static func == (left: FileName, right: FileName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Where the extension starts in `text`, or its end: `.gz` and `.tar.gz` are extensions, `.bashrc` is none, and
    /// neither is what is no short run of letters and digits.
    static func extensionStart(of text: String) -> String.Index {
        let bytes = text.utf8.span
        var start = bytes.count
        if let last = extensionDot(in: bytes) {
            start = last
            if let inner = extensionDot(in: bytes.extracting(first: last)), isTar(bytes, inner..<last) { start = inner }
        }
        return text.utf8.index(text.startIndex, offsetBy: start)
    }

    private static func extensionDot(in bytes: Span<UInt8>) -> Int? {
        var place = bytes.count - 1
        while place > 0, bytes[place].isASCIILetterOrDigit { place -= 1 }
        let isExtension = place > 0 && bytes[place] == UInt8(ascii: ".") && (1...16).contains(bytes.count - 1 - place)
        return isExtension ? place : nil
    }

    private static func isTar(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        // Letters alone are in it, behind the dot: this bit makes them lower.
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
    /// As many whole characters from the start as fit into `limit` bytes. Where not even the first does (one letter
    /// under hundreds of accents), whole scalars.
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
