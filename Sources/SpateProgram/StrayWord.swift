import Glibc

/// What a word of the command line may have been meant for that stands where a URL should.
enum StrayWord {
    /// What people call a command that has another name here.
    static let otherNames: [String: Command] = [
        "list": .status, "ls": .status, "info": .status, "show": .status,
        "rm": .delete, "remove": .delete, "del": .delete, "clean": .delete,
        "continue": .resume, "restart": .resume, "unpause": .resume,
        "download": .get, "fetch": .get, "add": .get,
    ]

    /// What while downloads run is done with keys.
    static let actions = ["pause", "stop", "cancel", "kill", "quit", "abort"]

    /// - Returns: `nil` where it looks like a URL gone wrong.
    static func fault(of word: String) -> UsageError? {
        if word == "-" {
            return UsageError(.dashForURL, "- is not a URL; to read URLs from standard input, give --input -")
        }
        return command(word) ?? file(word)
    }

    private static func command(_ word: String) -> UsageError? {
        guard !word.contains(where: { "./:@ ".contains($0) }) else { return nil }
        if Command(rawValue: word) != nil {
            return UsageError(.strayCommand, "the command goes before the first URL: spate \(word) …")
        }
        if let command = otherNames[word] {
            return UsageError(.familiarCommand, "“\(word)” is no command; use spate \(command.rawValue)")
        }
        if actions.contains(word) {
            return UsageError(
                .familiarCommand,
                "“\(word)” is no command; on a terminal, space pauses and x cancels what runs, and elsewhere Ctrl-C or "
                    + "SIGTERM ends it: spate resume goes on"
            )
        }
        guard let meant = Suggestion.nearest(to: word, among: Command.allCases.map(\.rawValue)) else { return nil }
        return UsageError(
            .mistypedCommand,
            "\(Address.quoted(word)) is neither a URL nor a command; did you mean \(meant)?"
        )
    }

    private static func file(_ word: String) -> UsageError? {
        guard !word.contains("://"), access(word, F_OK) == 0 else { return nil }
        let advice =
            if Arguments.isFolder(word) {
                "is a folder; to see what is in it: spate status -d \(PlainText.shellWord(Address.oneLine(word)))"
            } else if word.hasSuffix(".part") {
                "is a file that is not whole; to finish all that are in a folder: spate resume -d DIR"
            } else {
                "is a file; to fetch the URLs that stand in it: spate -i \(PlainText.shellWord(Address.oneLine(word)))"
            }
        return UsageError(.fileForURL, "\(Address.quoted(word)) \(advice)")
    }
}
