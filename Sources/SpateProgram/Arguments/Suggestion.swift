import Glibc
import SpateConsole

/// Suggests a name for a mistyped word.
enum Suggestion {
    /// The nearest of `names`: a prefix of `word`, or a name that begins with `word`, or else a name within an edit
    /// distance of two.
    static func nearest(to word: String, among names: [String]) -> String? {
        guard word.count > 1 else { return nil }
        if let extended = names.first(where: { $0.hasPrefix(word) || word.hasPrefix($0) }) {
            return extended
        }
        // Two edits turn a word of three letters into almost any other.
        return misspelled(word, among: names, edits: word.count > 4 ? 2 : 1)
    }

    /// The nearest of `names` within this edit distance.
    static func misspelled(_ word: String, among names: [String], edits limit: Int) -> String? {
        names
            .map { name in (name, editDistance(from: Array(word), to: Array(name))) }
            .filter { $0.1 <= limit }
            .min { $0.1 < $1.1 }?
            .0
    }

    /// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
    /// neighbours.
    static func editDistance(from word: [Character], to name: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...name.count)
        for (row, letter) in word.enumerated() {
            var current = [row + 1]
            for (column, other) in name.enumerated() {
                let change = last[column] + (letter == other ? 0 : 1)
                var fewest = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
                    fewest = min(fewest, beforeLast[column - 1] + 1)
                }
                current.append(fewest)
            }
            (beforeLast, last) = (last, current)
        }
        return last[name.count]
    }
}

/// Explains an argument in the place of a URL that is probably no URL.
enum MisplacedWord {
    /// Names that other programs use for these commands.
    static let otherNames: [String: Command] = [
        "list": .status, "ls": .status, "info": .status, "show": .status,
        "rm": .delete, "remove": .delete, "del": .delete, "clean": .delete,
        "continue": .resume, "restart": .resume, "unpause": .resume,
        "download": .get, "fetch": .get, "add": .get,
    ]

    /// Keys or signals do these during a run.
    static let actions = ["pause", "stop", "cancel", "kill", "quit", "abort"]

    /// - Returns: `nil` if the word looks like a mistyped URL.
    static func fault(of word: String) -> UsageError? {
        if word == "-" {
            return UsageError(.dashForURL, "- is not a URL; to read URLs from standard input, give --input -")
        }
        return command(word) ?? file(word)
    }

    private static func command(_ word: String) -> UsageError? {
        guard !word.contains(where: { "./:@ ".contains($0) }) else { return nil }
        if Command(rawValue: word) != nil {
            return UsageError(.misplacedCommand, "the command goes before the first URL: spate \(word) …")
        }
        if let command = otherNames[word] {
            return UsageError(.foreignCommand, "“\(word)” is not a command; use spate \(command.rawValue)")
        }
        if actions.contains(word) {
            return UsageError(
                .foreignCommand,
                "“\(word)” is not a command; during a run on a terminal, space pauses a download and x cancels it; "
                    + "Ctrl-C or SIGTERM stops all, and spate resume continues"
            )
        }
        guard let meant = Suggestion.nearest(to: word, among: Command.allCases.map(\.rawValue)) else { return nil }
        return UsageError(
            .mistypedCommand,
            "\(PlainText.quoted(word)) is neither a URL nor a command; did you mean \(meant)?"
        )
    }

    private static func file(_ word: String) -> UsageError? {
        guard !word.contains("://"), access(word, F_OK) == 0 else { return nil }
        let advice =
            if Arguments.isFolder(word) {
                "is a folder; to see what is in it: spate status -d \(PlainText.shownWord(word))"
            } else if word.hasSuffix(".part") {
                "is a partial file; to finish all partial files in a folder: spate resume -d DIR"
            } else {
                "is a file; to fetch the URLs in it: spate -i \(PlainText.shownWord(word))"
            }
        return UsageError(.fileForURL, "\(PlainText.quoted(word)) \(advice)")
    }
}
