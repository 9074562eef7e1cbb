/// Small pieces of text for messages.
package enum PlainText {
    /// "1 file", "2 files".
    package static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    /// The text with spaces instead of control characters, and its URLs without user and password. Foreign text must not
    /// control the terminal or fake a line, and no password is shown.
    package static func oneLine(_ text: String) -> String {
        let text = withoutLogins(text)
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func withoutLogins(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var (shown, rest) = ("", text[...])
        while let mark = rest.firstRange(of: "://") {
            shown += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            if let at = rest.prefix(while: { !"/?#".contains($0) }).lastIndex(of: "@") {
                rest = rest[rest.index(after: at)...]
            }
        }
        return shown + rest
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
