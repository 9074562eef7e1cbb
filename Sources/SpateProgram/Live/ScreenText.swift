/// A text as cells of a terminal, cut and padded by the columns that it takes.
///
/// What terminals disagree about is not shown: emoji that several characters make are shown as their first, flags as
/// their letters, and what steers the direction of writing not at all. So the columns counted are those taken.
struct ScreenText: Equatable {
    private struct Cell: Equatable {
        var text: String
        var columns: Int
    }

    private var cells: [Cell] = []
    /// How many columns it takes.
    private(set) var columns = 0

    /// A letter with more marks than this is nobody's spelling.
    private static let mostMarks = 4

    init(_ text: String) {
        for character in text { append(character) }
    }

    private mutating func append(_ character: Character) {
        if let ascii = character.asciiValue {
            let isControl = ascii < 0x20 || ascii == 0x7F
            return append(isControl ? " " : String(character), columns: 1)
        }
        var cell: Cell?
        var marks = 0
        for scalar in character.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator:
                append(" ", columns: 1)
            case .format, .surrogate:
                // What a joiner joins is shown as its first part.
                if scalar == "\u{200D}", cell != nil { return finish(cell) }
            case .nonspacingMark, .enclosingMark:
                if (0xFE00...0xFE0F).contains(scalar.value) { continue }
                marks += 1
                guard marks <= Self.mostMarks else { continue }
                // A mark with nothing to stand on would join what is drawn before it.
                if cell == nil { cell = Cell(text: "\u{25CC}", columns: 1) }
                cell?.text.unicodeScalars.append(scalar)
            case .unassigned, .privateUse:
                append("\u{FFFD}", columns: 1)
            default:
                if let letter = Self.flagLetter(scalar) {
                    append(letter, columns: 1)
                } else if cell == nil {
                    cell = Cell(text: String(scalar), columns: ScalarWidth.columns(of: scalar))
                } else if !(0x1F3FB...0x1F3FF).contains(scalar.value) {
                    cell?.text.unicodeScalars.append(scalar)
                    cell?.columns += ScalarWidth.columns(of: scalar)
                }
            }
        }
        finish(cell)
    }

    private mutating func finish(_ cell: Cell?) {
        if let cell { append(cell.text, columns: cell.columns) }
    }

    private mutating func append(_ text: String, columns: Int) {
        cells.append(Cell(text: text, columns: columns))
        self.columns += columns
    }

    private static func flagLetter(_ scalar: Unicode.Scalar) -> String? {
        guard (0x1F1E6...0x1F1FF).contains(scalar.value) else { return nil }
        return Unicode.Scalar(scalar.value - 0x1F1E6 + 0x41).map { String($0) }
    }

    /// All of it.
    var text: String { cells.lazy.map(\.text).joined() }

    /// In exactly so many columns: cut in the middle, for the end of a name tells its kind, and padded with spaces.
    func fitted(to width: Int) -> String {
        guard width > 0 else { return "" }
        if columns <= width { return text + String(repeating: " ", count: width - columns) }
        guard width >= 8 else { return padded(prefix(width), to: width) }
        let end = suffix((width - 3) / 3)
        let start = prefix(width - 3 - end.columns)
        return padded((start.text + "..." + end.text, start.columns + 3 + end.columns), to: width)
    }

    private func prefix(_ width: Int) -> (text: String, columns: Int) {
        var result = (text: "", columns: 0)
        for cell in cells {
            guard result.columns + cell.columns <= width else { break }
            result.text += cell.text
            result.columns += cell.columns
        }
        return result
    }

    private func suffix(_ width: Int) -> (text: String, columns: Int) {
        var start = cells.endIndex
        var columns = 0
        while start > 0, columns + cells[start - 1].columns <= width {
            start -= 1
            columns += cells[start].columns
        }
        return (cells[start...].lazy.map(\.text).joined(), columns)
    }

    private func padded(_ part: (text: String, columns: Int), to width: Int) -> String {
        part.text + String(repeating: " ", count: width - part.columns)
    }
}
