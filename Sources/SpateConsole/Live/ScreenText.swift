/// A text as cells of a terminal, which can be cut and padded to a width.
///
/// Terminals disagree on the width of some characters, so these are replaced: joined emoji by their first part, flags by
/// their letters. Direction controls are dropped. So the counted width is the real one.
package struct ScreenText: Equatable {
    private struct Cell: Equatable {
        var text: String
        var columns: Int
    }

    private var cells: [Cell] = []
    /// The width.
    package private(set) var columns = 0

    /// The most combining marks of a cell. No real text has more.
    private static let mostMarks = 4

    package init(_ text: String) {
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
                // Joined emoji: only the first part.
                if scalar == "\u{200D}", cell != nil { return finish(cell) }
            case .nonspacingMark, .enclosingMark:
                if (0xFE00...0xFE0F).contains(scalar.value) { continue }
                marks += 1
                guard marks <= Self.mostMarks else { continue }
                // A mark without a base would combine with the text before it.
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

    /// The whole text.
    package var text: String { cells.lazy.map(\.text).joined() }

    /// The text in exactly `width` columns: cut in the middle, because the end of a name shows its type, or padded.
    package func fitted(to width: Int, ellipsis: String = "...") -> String {
        guard width > 0 else { return "" }
        if columns <= width { return text + String(repeating: " ", count: width - columns) }
        guard width >= 8 else {
            let start = prefix(width)
            return padded(start.text, start.columns, to: width)
        }
        let gap = ellipsis.count
        let end = suffix((width - gap) / 3)
        let start = prefix(width - gap - end.columns)
        return padded(start.text + ellipsis + end.text, start.columns + gap + end.columns, to: width)
    }

    /// The text in exactly `width` columns, cut so that the cell at `index` is seen.
    func fitted(to width: Int, showing index: Int, ellipsis: String) -> String {
        let gap = ellipsis.count
        guard columns > width, width >= 8, index < cells.count else { return fitted(to: width, ellipsis: ellipsis) }
        let usual = (width - gap) / 3
        let isSeen =
            prefix(width - gap - suffix(usual).columns).count > index || cells.count - suffix(usual).count <= index
        if isSeen { return fitted(to: width, ellipsis: ellipsis) }
        let end = suffix(width - gap)
        if cells.count - end.count <= index { return padded(ellipsis + end.text, gap + end.columns, to: width) }
        var rest = self
        // Some of what is before it tells where it is.
        rest.cells.removeFirst(max(0, index - 2))
        let middle = rest.prefix(width - 2 * gap)
        return padded(ellipsis + middle.text + ellipsis, middle.columns + 2 * gap, to: width)
    }

    /// The index of the first cell in which these texts differ.
    static func firstDifference(_ texts: [ScreenText]) -> Int {
        guard let first = texts.first else { return 0 }
        return texts.dropFirst().reduce(first.cells.count) { common, text in
            zip(first.cells.prefix(common), text.cells).prefix { $0 == $1 }.count
        }
    }

    private typealias Part = (text: String, columns: Int, count: Int)

    private func prefix(_ width: Int) -> Part {
        var result: Part = ("", 0, 0)
        for cell in cells {
            guard result.columns + cell.columns <= width else { break }
            result.text += cell.text
            result.columns += cell.columns
            result.count += 1
        }
        return result
    }

    private func suffix(_ width: Int) -> Part {
        var start = cells.endIndex
        var columns = 0
        while start > 0, columns + cells[start - 1].columns <= width {
            start -= 1
            columns += cells[start].columns
        }
        return (cells[start...].lazy.map(\.text).joined(), columns, cells.count - start)
    }

    private func padded(_ text: String, _ columns: Int, to width: Int) -> String {
        text + String(repeating: " ", count: width - columns)
    }
}

/// The width of a character. The C library's answer depends on the locale, and the standard library has none.
enum ScalarWidth {
    /// Returns 0, 1 or 2.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
        // Hangul vowels and final consonants combine with the consonant before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return isWide(value) ? 2 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// East Asian Width W and F, sorted. Gaps without characters are closed.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
        0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FB,
        0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F265,
        0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
        0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
        0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
        0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
        0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
        0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
