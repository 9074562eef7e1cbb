@testable import SpateConsole

/// The screen of a terminal after some output. It understands only what the live display uses.
struct TerminalPicture {
    /// A cell without text. A space is text.
    static let blank = "\u{0}"

    var columns: Int
    var rows: Int
    var cells: [[String]]
    /// Whether a row was wrapped into the next one.
    var wraps: [Bool]
    var row = 0
    var column = 0
    private var pending: [UInt8] = []
    /// Lines that have scrolled out at the top.
    var history: [String] = []
    private(set) var showsCursor = true
    private(set) var bracketsPaste = false
    /// All colour codes so far: "32", or "0" for the reset.
    private(set) var colours: Set<String> = []
    /// Unknown escape sequences.
    private(set) var unknown: [String] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: Self.blank, count: columns), count: rows)
        wraps = Array(repeating: false, count: rows)
    }

    /// The rows as texts, without trailing spaces and without empty rows below.
    var lines: [String] {
        var lines = cells.map { Self.text($0) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// The history and the screen.
    var all: [String] { history + lines }

    static func text(_ cells: [String]) -> String {
        var text: String = cells.lazy.map { $0 == blank ? " " : $0 }.joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    mutating func feed(_ text: String) { feed(Array(text.utf8)) }

    mutating func feed(_ bytes: [UInt8]) {
        pending += bytes
        // Wait for the rest of an incomplete character or sequence.
        while let length = unitLength() {
            let unit = String(decoding: pending.prefix(length), as: UTF8.self)
            pending.removeFirst(length)
            if unit.hasPrefix("\u{1B}") { control(unit) } else { for scalar in unit.unicodeScalars { put(scalar) } }
        }
    }

    private func unitLength() -> Int? {
        guard let first = pending.first else { return nil }
        if first == 0x1B {
            guard pending.count > 1 else { return nil }
            guard pending[1] == UInt8(ascii: "[") else { return 2 }
            return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
        }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        return pending.count >= length ? length : nil
    }

    private mutating func control(_ sequence: String) {
        let body = sequence.dropFirst(2)
        let number = Int(body.dropLast()) ?? 1
        switch (body.last, body.dropLast()) {
        case ("A", _): row = max(0, row - number)
        case ("B", _): row = min(rows - 1, row + number)
        case ("m", let code): colours.insert(String(code))
        case ("J", ""):
            for index in column..<columns { cells[row][index] = Self.blank }
            for index in row..<rows { wraps[index] = false }
            for index in row + 1..<max(rows, row + 1) { cells[index] = Array(repeating: Self.blank, count: columns) }
        case ("K", "2"):
            cells[row] = Array(repeating: Self.blank, count: columns)
            wraps[row] = false
        case ("h", "?25"): showsCursor = true
        case ("l", "?25"): showsCursor = false
        case ("h", "?2004"): bracketsPaste = true
        case ("l", "?2004"): bracketsPaste = false
        default: unknown.append(sequence)
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\r": column = 0
        case "\n": lineFeed()
        default:
            let width = ScalarWidth.columns(of: scalar)
            if width == 0 {
                if column > 0 { cells[row][column - 1].unicodeScalars.append(scalar) }
                return
            }
            if column + width > columns {
                wraps[row] = true
                column = 0
                lineFeed()
            }
            cells[row][column] = String(scalar)
            if width == 2 { cells[row][column + 1] = "" }
            column += width
        }
    }

    private mutating func lineFeed() {
        guard row == rows - 1 else { return row += 1 }
        scroll()
    }

    mutating func scroll() {
        history.append(Self.text(cells.removeFirst()))
        wraps.removeFirst()
        cells.append(Array(repeating: Self.blank, count: columns))
        wraps.append(false)
    }
}
