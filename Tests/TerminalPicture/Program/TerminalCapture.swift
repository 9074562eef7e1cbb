/// What stood on a terminal, as `tmux capture-pane -e -p` writes it: lines of text with sequences that set colours.
struct TerminalCapture: Equatable {
    private(set) var lines: [[StyledRun]] = []

    /// The last columns that anything stands in.
    var columns: Int { lines.compactMap { $0.last.map { $0.column + $0.columns } }.max() ?? 0 }

    /// Empty lines at the end don't count.
    init(_ text: String) {
        var reader = Reader()
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            lines.append(reader.runs(of: String(line)))
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    /// Colours last beyond the end of a line.
    private struct Reader {
        var style = TerminalStyle()

        mutating func runs(of line: String) -> [StyledRun] {
            var runs: [StyledRun] = []
            var column = 0
            var rest = line.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                if scalar == "\u{1B}" {
                    skipSequence(&rest)
                    continue
                }
                let columns = StyledRun.columns(of: scalar)
                if let last = runs.last, last.style == style {
                    runs[runs.count - 1].text.unicodeScalars.append(scalar)
                    runs[runs.count - 1].columns += columns
                } else {
                    runs.append(StyledRun(text: String(scalar), column: column, columns: columns, style: style))
                }
                column += columns
            }
            return runs
        }

        /// Reads on behind an escape, and takes in what it says about style.
        private mutating func skipSequence(_ rest: inout Substring.UnicodeScalarView) {
            switch rest.popFirst() {
            case "[":
                let parameters = rest.prefix { !("@"..."~").contains($0) }
                rest = rest.dropFirst(parameters.count)
                guard rest.popFirst() == "m", !parameters.contains(where: { "<=>?".unicodeScalars.contains($0) }) else {
                    return
                }
                style.apply(
                    Substring(parameters).split(omittingEmptySubsequences: false) { $0 == ";" || $0 == ":" }
                        .map { Int($0) ?? 0 }
                )
            case "]":
                // Up to a bell, or an escape and a backslash.
                while let scalar = rest.popFirst(), scalar != "\u{07}" {
                    guard scalar == "\u{1B}" else { continue }
                    rest = rest.dropFirst()
                    break
                }
            case "(", ")": rest = rest.dropFirst()
            default: break
            }
        }
    }
}
