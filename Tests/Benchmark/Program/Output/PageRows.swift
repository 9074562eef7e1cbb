/// The rows of scenarios on pages in any language. A row begins with the scenario's name and a colon, then says in any
/// words what is measured; its figures follow.
struct PageRows {
    /// What follows the first cell of a row, by the scenario's name.
    private let cells: [String: [Substring]]

    /// Leaves out figures that have words beside them.
    init(_ figures: Figures) {
        let scenarios = figures.scenarios.filter { !$0.runs.isEmpty && $0.measure != .fetched }
        let lines = MarkdownTable(scenarios).lines
        cells = Dictionary(
            lines.compactMap { line in Self.name(in: line).map { ($0, Self.cells(of: line)) } },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The scenarios with rows.
    static func names(in page: String) -> [String] {
        page.split(separator: "\n").compactMap(name)
    }

    /// The page with these figures in its rows.
    func filled(into page: String) throws(UsageError) -> String {
        var lines: [Substring] = []
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let name = Self.name(in: line), let cells = cells[name] else {
                lines.append(line)
                continue
            }
            guard Self.cells(of: line).count == cells.count else {
                throw UsageError("the row of \(name) needs \(cells.count) cells after the first: \(line)")
            }
            let first = line.dropFirst().prefix { $0 != "|" }
            lines.append(Substring("|\(first)|\(cells.joined(separator: "|"))|"))
        }
        return lines.joined(separator: "\n")
    }

    private static func name(in line: some StringProtocol) -> String? {
        guard line.hasPrefix("| "), let end = line.firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
        let name = String(line[..<end].dropFirst(2))
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } ? name : nil
    }

    private static func cells(of line: some StringProtocol) -> [Substring] {
        Substring(line).split(separator: "|", omittingEmptySubsequences: false).dropFirst(2).dropLast()
            .map { Substring($0) }
    }
}
