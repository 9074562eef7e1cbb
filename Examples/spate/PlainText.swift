import Spate

/// Sizes, times and words of a shell as texts.
enum PlainText {
    /// "12.3 MB", as the library writes it.
    static func size(_ bytes: Int64) -> String {
        DownloadProgress(receivedBytes: bytes, totalBytes: bytes).description
    }

    /// "12.3 MB of 40 MB", or "12.3 MB" where the whole size is not known or all is here.
    static func amount(_ received: Int64, of total: Int64?) -> String {
        DownloadProgress(receivedBytes: received, totalBytes: total).description
    }

    /// "0.4 s", "12 s", "3 min 20 s", "2 h 5 min"; what has begun counts as whole, so nothing takes no time.
    static func time(_ duration: Duration) -> String {
        let tenth = 100_000_000_000_000_000 as Int64
        let (whole, fraction) = max(duration, .zero).components
        let tenths = whole * 10 + (fraction + tenth - 1) / tenth
        if tenths < 100 { return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s" }
        let seconds = whole + (fraction > 0 ? 1 : 0)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }

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
