/// The lines at the bottom of the terminal. Returns the text that must be written to change them.
///
/// The cursor stays in the first column of the last line.
struct LiveScreen {
    private var shown: [ScreenLine] = []
    private var width: Int

    init(width: Int) {
        self.width = width
    }

    /// The text that shows `lines`, with `above` as plain lines that scroll up. Empty if nothing changes.
    mutating func update(_ lines: [ScreenLine], above: [String] = []) -> String {
        guard above.isEmpty else {
            let text = erase() + above.map { $0 + "\r\n" }.joined()
            return text + update(lines)
        }
        guard lines != shown else { return "" }
        defer { shown = lines }
        var text = Self.up(shown.count - 1)
        // Unchanged lines are skipped with one move.
        var cursor = 0
        for (row, line) in lines.enumerated() where row >= shown.count || line != shown[row] {
            text += String(repeating: "\r\n", count: row - cursor)
            text += "\u{1B}[2K" + line.text + "\r"
            cursor = row
        }
        if lines.count < shown.count {
            guard !lines.isEmpty else { return text + "\u{1B}[J" }
            text += String(repeating: "\r\n", count: lines.count - cursor) + "\u{1B}[J" + Self.up(1)
        } else {
            text += String(repeating: "\r\n", count: max(0, lines.count - 1 - cursor))
        }
        return text
    }

    /// The text that erases the lines. The cursor ends where the first line was.
    mutating func erase() -> String {
        defer { shown = [] }
        return shown.isEmpty ? "" : Self.up(shown.count - 1) + Self.clearBelow
    }

    /// The text to write after a change of the width, before the next update. Terminals rewrap long lines, so the old lines
    /// may take more rows now.
    mutating func resize(to width: Int) -> String {
        defer {
            self.width = width
            shown = []
        }
        guard !shown.isEmpty else { return "" }
        let rows = shown.dropLast().reduce(0) { $0 + max(1, ($1.columns + width - 1) / max(width, 1)) }
        return Self.up(rows) + Self.clearBelow
    }

    /// Another program has written there. Leave the old lines alone.
    mutating func forget() {
        shown = []
    }

    /// Some terminals treat an erasure from the first row as clearing the screen, and save the lines to the scrollback.
    /// So the first line is erased separately.
    private static let clearBelow = "\r\u{1B}[2K\u{1B}[1B\u{1B}[J\u{1B}[1A"

    private static func up(_ rows: Int) -> String {
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}

/// A line of the live display.
struct ScreenLine: Equatable {
    /// With colour sequences, without a line break.
    var text: String
    /// Its width in columns.
    var columns: Int
}
