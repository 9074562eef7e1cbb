import SpateFilePaths
package import SpateHTTPSyntax

extension FileName {
    /// The last path component of a URL, repaired if it is not safe; `index.html` if it is empty.
    package init(derivedFrom url: HTTPURL) {
        if let name = url.plainLastPathComponent, Self.isPlain(name.utf8.span) {
            self.init(plain: name)
        } else {
            self.init(repairing: url.lastPathComponent)
        }
    }

    /// A safe name from any bytes. A safe name stays as it is.
    package init(repairing bytes: [UInt8]) {
        let decoded = String(decoding: bytes, as: UTF8.self)
        if Self.isPlain(bytes.span) {
            self.init(plain: decoded)
        } else {
            self.init(safe: Self.withoutSpecialMeaning(Self.repaired(decoded[...])))
        }
    }

    private init(plain text: String) {
        self.init(safe: Self.withoutSpecialMeaning(Self.cutKeepingExtension(text)))
    }

    /// Whether all bytes are printable ASCII, and none a separator. Then none needs a repair.
    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            let byte = bytes[index]
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\") else {
                return false
            }
        }
        return true
    }

    /// The text with safe characters, and not too long. It may still have a special meaning.
    static func repaired(_ text: Substring) -> String { cutKeepingExtension(withoutUnsafeScalars(text)) }

    /// Replaces separators and invalid UTF-8 with `_`. Removes invisible scalars (controls, line ends, and direction
    /// marks, which can hide an extension) and surrounding space.
    private static func withoutUnsafeScalars(_ text: Substring) -> String {
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "/", "\\", "\u{FFFD}": safe.append("_")
            default: if !isInvisible(scalar) { safe.append(scalar) }
            }
        }
        return trimmed(String(safe)[...])
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    static func trimmed(_ text: Substring) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func cutKeepingExtension(_ text: String) -> String {
        if text.utf8.count <= maximumLength { return text }
        let start = extensionStart(of: text)
        let ending = text[start...]
        let stem = text[..<start].cut(toBytes: maximumLength - ending.utf8.count)
        return trimmed(stem + ending)
    }

    /// Changes names with a special meaning: the folder itself, a partial file, a sidecar.
    private static func withoutSpecialMeaning(_ text: String) -> String {
        if text.isEmpty { return "index.html" }
        let name = FilePath(text)
        // By scalars: in some scripts, a character and a following dot are one Character.
        if isPartial(name) { return String(text.unicodeScalars.dropLast(partialSuffix.count)) + "_part" }
        guard text.utf8.first == UInt8(ascii: ".") else { return text }
        if name == "." || name == ".." { return "index.html" }
        return isSidecar(name) ? "_" + String(text.unicodeScalars.dropFirst()) : text
    }
}
