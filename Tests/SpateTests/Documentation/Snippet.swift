import Foundation

/// Code that is compiled here and printed in the documentation.
///
/// In a file of snippets it is between the comments `// snippet` and `// end`. `// snippet: PATH` stands for a whole
/// program of the package, without its lines of comments.
struct Snippet: Equatable {
    let lines: [String]

    init(lines: [String]) {
        self.lines = lines
    }

    static func all(in text: String) throws -> [Snippet] {
        var snippets: [Snippet] = []
        var open: [String]?
        for line in text.components(separatedBy: "\n") {
            let word = line.trimmingCharacters(in: .whitespaces)
            if word == "// snippet" {
                open = []
            } else if word == "// end", let lines = open {
                snippets.append(Snippet(lines: dedented(lines)))
                open = nil
            } else if let path = word.wholeMatch(of: /\/\/ snippet: (.+)/)?.1 {
                let program = try Article(String(path)).text().components(separatedBy: "\n")
                snippets.append(Snippet(lines: program.filter { !$0.hasPrefix("//") }.dropLast()))
            } else {
                open?.append(line)
            }
        }
        return snippets
    }

    private static func dedented(_ lines: [String]) -> [String] {
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(margin)) }
    }

    /// The lines to print in place of these. A printed line stays if it says the same as the compiled one: spaces before
    /// a comment may differ, `…` may stand for a part of the line, and `_ =` may be left out.
    func printed(over printed: [String]) -> [String] {
        guard printed.count == lines.count else { return lines }
        return zip(printed, lines).map { old, new in Self.says(old, new) ? old : new }
    }

    private static func says(_ printed: String, _ compiled: String) -> Bool {
        let parts = normal(printed).components(separatedBy: "…")
        var rest = normal(compiled.replacing(#/^( *)_ = /#) { String($0.1) })[...]
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard parts.count > 1, let last = parts.last else { return rest.isEmpty }
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    private static func normal(_ line: String) -> String {
        let margin = line.prefix { $0 == " " }
        return margin + String(line.dropFirst(margin.count)).replacing(#/ +/#, with: " ")
    }
}

/// A text with blocks of Swift code.
struct CodeBlocks {
    /// The lines around the blocks: one group more than there are blocks.
    private(set) var around: [[String]] = [[]]
    private(set) var blocks: [Snippet] = []

    /// The fenced Swift blocks of a Markdown text, except package manifests.
    init(markdown text: String) {
        var lines = text.components(separatedBy: "\n")[...]
        while let line = lines.popFirst() {
            around[around.count - 1].append(line)
            guard line == "```swift" else { continue }
            let block = Array(lines.prefix { $0 != "```" })
            if Self.isManifest(block) { continue }
            lines = lines.dropFirst(block.count)
            blocks.append(Snippet(lines: block))
            around.append([])
        }
    }

    /// The indented blocks in the doc comments of Swift code, except JSON.
    init(comments text: String) {
        var block: [String] = []
        func isJSON(_ lines: [String]) -> Bool { lines.first?.hasPrefix("{") == true }
        for line in text.components(separatedBy: "\n") {
            let comment = line.trimmingCharacters(in: .whitespaces)
            if comment.hasPrefix("///     ") {
                block.append(String(comment.dropFirst(8)))
            } else if comment == "///", !block.isEmpty {
                block.append("")
            } else if !block.isEmpty {
                while block.last == "" { block.removeLast() }
                if !isJSON(block) { blocks.append(Snippet(lines: block)) }
                block = []
            }
        }
    }

    private static func isManifest(_ lines: [String]) -> Bool {
        lines.first?.hasPrefix("// swift-tools-version") == true || lines.first?.hasPrefix("dependencies: [") == true
    }

    /// The text with these blocks in place of its own.
    func text(with snippets: [Snippet]) -> String {
        var lines = around[0]
        for (index, after) in around.dropFirst().enumerated() {
            let old = blocks[index].lines
            lines += index < snippets.count ? snippets[index].printed(over: old) : old
            lines += after
        }
        return lines.joined(separator: "\n")
    }
}
