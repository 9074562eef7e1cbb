/// Numbers of things, and words of a shell, as texts.
enum PlainText {
    /// "1 file", "2 files".
    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    /// The word so that a shell takes it as it is.
    static func shellWord(_ word: String) -> String {
        let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%"
        if !word.isEmpty, word.unicodeScalars.allSatisfy(plain.unicodeScalars.contains) {
            return word
        }
        return "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
