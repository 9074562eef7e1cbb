/// What a terminal can show.
struct DrawingStyle: Equatable {
    var hasColours = false
    /// Whether it has block characters, and others that are not ASCII.
    var hasBlocks = false

    init(hasColours: Bool = false, hasBlocks: Bool = false) {
        (self.hasColours, self.hasBlocks) = (hasColours, hasBlocks)
    }

    /// For colours see no-color.org. The locale says which characters there are; the Linux console has no eighths.
    init(environment: [String: String]) {
        let value = { (name: String) in environment[name] ?? "" }
        hasColours = value("NO_COLOR").isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.map(value).first { !$0.isEmpty } ?? ""
        let isUnicode = ["UTF-8", "UTF8"].contains { locale.uppercased().contains($0) }
        hasBlocks = isUnicode && value("TERM") != "linux"
    }

    /// What stands for the missing part of a text.
    var ellipsis: String { hasBlocks ? "…" : "..." }

    func paint(_ text: String, _ paint: Paint?) -> String {
        guard hasColours, let paint, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}

/// Colours by their meaning, as the terminal's own codes.
enum Paint: String {
    case selected = "1"
    case background = "2"
    case failed = "31"
    case done = "32"
    case waiting = "33"
}
