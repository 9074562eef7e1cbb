extension Address {
    /// The text of a URL without what stands before an `@` in its authority.
    static func withoutCredentials(_ text: String) -> String {
        URLPieces(text)?.withoutCredentials ?? text
    }

    /// A text that was refused, for a message: in quotation marks, in one line, cut where it is long.
    ///
    /// Where it fails to be a URL, nobody can tell how far its credentials reach: all before the last `@` goes.
    static func quoted(_ text: String) -> String {
        var shown = text[...]
        if let at = shown.lastIndex(of: "@") {
            let start = text.firstRange(of: "://").map(\.upperBound) ?? text.startIndex
            shown = (text[..<min(start, at)] + text[at...].dropFirst())[...]
        }
        let line = oneLine(String(shown))
        return line.count > 200 ? "“\(line.prefix(200))…”" : "“\(line)”"
    }

    /// The text with every control character replaced: what others wrote can't steer a terminal or fake a line.
    static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
