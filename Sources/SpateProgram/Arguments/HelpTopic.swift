import SpateConsole

/// The topic of a help page: `spate help TOPIC`. The parser, the completions, the list of topics and the manual page read
/// the same table, `all`.
enum HelpTopic: Hashable {
    case command(Command)
    case group(OptionGroup)
    /// All options of `get`, in their groups.
    case options
    /// What the program of `--refresh-command` reads and prints.
    case refresh
    /// The keys of the live display.
    case keys
    case exitCodes
    /// The list of all topics.
    case topics

    /// In the order of the list of topics.
    static let all = ofOptions + others + Command.allCases.filter(\.hasPage).map(HelpTopic.command)
    static let ofOptions = OptionGroup.allCases.map(HelpTopic.group) + [.options]
    static let others: [HelpTopic] = [.refresh, .keys, .exitCodes, .topics]

    /// The word after `spate help`.
    var word: String {
        switch self {
        case .command(let command): command.rawValue
        case .group(let group): group.rawValue
        case .options: "options"
        case .refresh: "refresh"
        case .keys: "keys"
        case .exitCodes: "exit-codes"
        case .topics: "topics"
        }
    }

    /// What the page is about.
    var summary: String {
        switch self {
        case .command(let command): command.summary
        case .group(let group): group.summary
        case .options: "all of these options"
        case .refresh: "what --refresh-command reads and prints"
        case .keys: "the keys of the live display, and its lines"
        case .exitCodes: "the exit codes of all commands"
        case .topics: "this list"
        }
    }

    /// - Parameter words: what follows `spate help`.
    /// - Returns: `nil` for the overview.
    static func named(by words: [String]) throws(UsageError) -> HelpTopic? {
        guard let word = words.first else { return nil }
        guard words.count == 1 else {
            throw UsageError(.helpTopic, "spate help takes one topic; spate help topics lists them")
        }
        if let topic = all.first(where: { $0.word == word }) { return topic }
        if let command = Command(rawValue: word) { return .command(command) }
        throw UsageError(
            .helpTopic,
            "there is no help about \(PlainText.quoted(word)); \(advice(for: word.lowercased()))"
        )
    }

    private static func advice(for word: String) -> String {
        let name = String(word.drop { $0 == "-" })
        if let topic = page(of: name) { return "for --\(name), see spate help \(topic.word)" }
        if let meant = Suggestion.nearest(to: name, among: all.map(\.word)) {
            return "did you mean spate help \(meant)?"
        }
        if let option = Suggestion.nearest(to: name, among: ProgramOption.all.map(\.name)), let topic = page(of: option)
        {
            return "for --\(option), see spate help \(topic.word)"
        }
        return "spate help topics lists all topics"
    }

    /// The page that shows an option.
    private static func page(of name: String) -> HelpTopic? {
        if let group = OptionGroup.allCases.first(where: { $0.options.contains { $0.name == name } }) {
            return .group(group)
        }
        let option = ProgramOption.ofOneCommand.first { $0.name == name }
        return option.flatMap { $0.commands.first }.map(HelpTopic.command)
    }
}
