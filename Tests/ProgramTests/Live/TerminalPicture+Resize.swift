extension TerminalPicture {
    /// Resizes like most terminals: wrapped lines are joined and wrapped again, and the cursor stays at its character. Rows
    /// that don't fit scroll out at the top, and new rows are empty.
    mutating func resize(columns: Int, rows: Int) {
        var lines: [[String]] = []
        var cursor = (line: 0, offset: 0)
        var goesOn = false
        for (index, cells) in cells.enumerated() {
            if !goesOn { lines.append([]) }
            if index == row { cursor = (lines.count - 1, lines[lines.count - 1].count + column) }
            goesOn = wraps[index]
            lines[lines.count - 1] += goesOn ? cells : Array(cells.prefix(Self.end(of: cells)))
        }
        self.columns = columns
        self.rows = rows
        cells = []
        wraps = []
        for (index, line) in lines.enumerated() {
            let first = cells.count
            append(line)
            guard index == cursor.line else { continue }
            row = first + min(cursor.offset / columns, cells.count - 1 - first)
            column = min(cursor.offset % columns, columns - 1)
        }
        while cells.count > max(rows, row + 1), cells.last.map({ Self.end(of: $0) }) == 0 {
            cells.removeLast()
            wraps.removeLast()
        }
        while cells.count > rows {
            history.append(Self.text(cells.removeFirst()))
            wraps.removeFirst()
            row = max(0, row - 1)
        }
        while cells.count < rows {
            cells.append(Array(repeating: Self.blank, count: columns))
            wraps.append(false)
        }
    }

    /// The end of the text in a row.
    private static func end(of cells: [String]) -> Int {
        (cells.lastIndex { $0 != blank } ?? -1) + 1
    }

    private mutating func append(_ line: [String]) {
        var rest = line[...]
        repeat {
            var part = Array(rest.prefix(columns))
            // A wide character is not split. Its second cell is empty.
            if part.count < rest.count, rest[rest.startIndex + part.count].isEmpty { part.removeLast() }
            rest = rest.dropFirst(part.count)
            cells.append(part + Array(repeating: Self.blank, count: columns - part.count))
            wraps.append(!rest.isEmpty)
        } while !rest.isEmpty
    }
}
