/// What two languages of one page must have in common.
struct PageOutline: Equatable {
    /// Between two headings.
    struct Section: Equatable {
        /// How deep the heading above it is; none for what comes first.
        var level = 0
        /// Blocks of code, without their comments.
        var blocks: [String] = []
        /// Each row of the tables as its cells' numbers and code.
        var rows: [[[String]]] = []
        var items = 0
        var paragraphs = 0
        /// What stands between backticks, in the order of the alphabet.
        var code: [String] = []
        /// Where links and pictures lead.
        var links: [String] = []
    }

    private(set) var sections = [Section()]

    init(_ page: String) {
        var block: [String]?
        for line in page.split(separator: "\n").map(String.init) {
            if line.hasPrefix("```") {
                if let lines = block { sections[sections.count - 1].blocks.append(lines.joined(separator: "\n")) }
                block = block == nil ? [line] : nil
            } else if block != nil {
                block?.append(Self.withoutComment(line))
            } else {
                read(line)
            }
        }
    }

    private mutating func read(_ line: String) {
        if line.hasPrefix("#") { sections.append(Section(level: line.prefix { $0 == "#" }.count)) }
        let last = sections.count - 1
        if line.hasPrefix("|") {
            sections[last].rows.append(line.split(separator: "|", omittingEmptySubsequences: false).map(Self.marks))
        } else if line.hasPrefix("- ") || line.contains(#/^[0-9]+\. /#) {
            sections[last].items += 1
        } else {
            sections[last].paragraphs += 1
        }
        let code = line.matches(of: /`([^`]+)`/).map { String($0.1) }
        sections[last].code = (sections[last].code + code.filter { $0.utf8.count == $0.count }).sorted()
        let links = line.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        sections[last].links += links.filter { !$0.hasPrefix("README") }
    }

    /// The numbers and the code of a cell, in the order of the alphabet: languages differ in theirs.
    private static func marks(in cell: Substring) -> [String] {
        cell.matches(of: /`[^`]+`|[0-9][0-9.,]*( (s|ms|µs|KiB|MiB|MB))?/).map { String($0.0) }.sorted()
    }

    private static func withoutComment(_ line: String) -> String {
        var code = line.firstRange(of: #/// .*$|# .*$/#).map { String(line[..<$0.lowerBound]) } ?? line
        while code.last == " " { code.removeLast() }
        return code
    }
}
