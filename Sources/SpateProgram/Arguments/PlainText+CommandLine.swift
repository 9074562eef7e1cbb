import SpateConsole

/// Words of a command line in messages.
extension PlainText {
    /// The word quoted for a shell, if that is necessary.
    static func shellWord(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
        if !word.isEmpty, word.unicodeScalars.allSatisfy(plain.unicodeScalars.contains) {
            return word
        }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }

    /// The same, of foreign text in a message.
    static func shownWord(_ text: some StringProtocol) -> String { shellWord(oneLine(String(text))) }

    /// The words of a text in lines of at most `width` characters, unless a word is longer.
    static func wrapped(_ text: String, to width: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A rejected text in quotation marks, on one line, and cut if it is long.
    ///
    /// Where an invalid URL's credentials end is unclear, so everything up to the last `@` is left out.
    static func quoted(_ text: String) -> String {
        var shown = text[...]
        if let at = shown.lastIndex(of: "@") {
            let start = text.firstRange(of: "://").map(\.upperBound) ?? text.startIndex
            shown = (text[..<min(start, at)] + text[at...].dropFirst())[...]
        }
        let line = oneLine(String(shown))
        return line.count > 200 ? "“\(line.prefix(200))…”" : "“\(line)”"
    }
}
