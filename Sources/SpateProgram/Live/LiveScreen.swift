/// What stands at the bottom of the terminal, and what must be written to change it.
///
/// The cursor rests in the first column of the last live line.
struct LiveScreen {
    private var shown: [ScreenLine] = []
    private var width: Int

    init(width: Int) {
        self.width = width
    }

    /// What to write so that `lines` stand there, with `above` as plain lines scrolled up over them; empty where nothing
    /// changes.
    mutating func update(_ lines: [ScreenLine], above: [String] = []) -> String {
        guard above.isEmpty else {
            let text = erase() + above.map { $0 + "\r\n" }.joined()
            return text + update(lines)
        }
        guard lines != shown else { return "" }
        defer { shown = lines }
        var text = Self.up(shown.count - 1)
        // Downwards is told in one go, for the lines that stay.
        var row = 0
        var cursor = 0
        while row < lines.count {
            if row >= shown.count || lines[row] != shown[row] {
                text += String(repeating: "\r\n", count: row - cursor)
                text += "\u{1B}[2K" + lines[row].text + "\r"
                cursor = row
            }
            row += 1
        }
        if lines.count < shown.count {
            guard !lines.isEmpty else { return text + "\u{1B}[J" }
            text += String(repeating: "\r\n", count: lines.count - cursor) + "\u{1B}[J" + Self.up(1)
        } else {
            text += String(repeating: "\r\n", count: max(0, lines.count - 1 - cursor))
        }
        return text
    }

    /// What to write so that nothing of it is left; the cursor is then where it began.
    mutating func erase() -> String {
        defer { shown = [] }
        return shown.isEmpty ? "" : Self.up(shown.count - 1) + Self.clearBelow
    }

    /// What to write after the terminal got another width, before the next update. Terminals break what has become too
    /// long, so that it stands in more rows than before.
    mutating func resize(to width: Int) -> String {
        defer {
            self.width = width
            shown = []
        }
        guard !shown.isEmpty else { return "" }
        let rows = shown.dropLast().reduce(0) { $0 + max(1, ($1.columns + width - 1) / max(width, 1)) }
        return Self.up(rows) + Self.clearBelow
    }

    /// Others have written there: nothing is known of it.
    mutating func forget() {
        shown = []
    }

    /// Some terminals take an erasure that begins in the first row for that of the whole screen, and keep what was there
    /// in what can be scrolled back to: so the first line is erased alone.
    private static let clearBelow = "\r\u{1B}[2K\u{1B}[1B\u{1B}[J\u{1B}[1A"

    private static func up(_ rows: Int) -> String {
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}
