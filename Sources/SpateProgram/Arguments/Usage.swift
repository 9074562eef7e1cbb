import Spate
import SpateConsole

/// The texts of `--help` and `--version`. Each page but the one of all options fits a terminal of 24 lines and 80 columns,
/// with a prompt below.
enum Usage {
    static let version = "spate \(LibraryVersion.text)"
    /// The output of `--version`.
    static var versions: String { version + "\n" + LibraryVersion.libraries }

    /// The page about a topic, or the overview.
    static func help(about topic: HelpTopic?) -> String {
        guard let topic, let page = HelpPage(topic) else { return overview }
        let parts: [String] =
            switch topic {
            case .command(let command):
                [command.synopsis, page.text, lines(of: page.options(of: command), for: command)]
            case .group(let group):
                ["Options of spate get: \(group.summary)\n" + lines(of: group.options, for: .get), page.text]
            case .options: OptionGroup.allCases.map(section) + [section("Others", of: ProgramOption.general)]
            case .topics: ["Topics of spate help:\n" + rows(of: page)]
            case .exitCodes: ["Exit codes of all commands:\n" + rows(of: page)]
            case .refresh, .keys: [page.text, rows(of: page)]
            }
        return (parts + [examples(of: page)]).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func section(about group: OptionGroup) -> String {
        section(group.rawValue.prefix(1).uppercased() + group.rawValue.dropFirst(), of: group.options)
    }

    private static func section(_ name: String, of options: [ProgramOption]) -> String {
        "\(name):\n" + lines(of: options, for: .get)
    }

    private static func rows(of page: HelpPage) -> String {
        let column = (page.rows.map(\.words.count).max() ?? 0) + 4
        return page.rows.map { row("  \($0.words)", $0.meaning, at: column) }.joined(separator: "\n")
    }

    private static func examples(of page: HelpPage) -> String {
        let heading = page.examples.count == 1 ? "Example:" : "Examples:"
        return ([heading] + page.examples.map { "  \($0)" }).joined(separator: "\n")
    }

    private static let overview = """
        \(Command.allCases.filter { $0.hasPage && $0 != .completions }.map { row($0.synopsis, $0.summary, at: 32) }
            .joined(separator: "\n"))
        \(lines(of: ProgramOption.all.filter(\.isOnOverview), for: .get))
        \(PlainText.wrapped(
            "More: spate help \((HelpTopic.ofOptions + HelpTopic.others).map(\.word).joined(separator: ", ")), or a command.",
            to: 79
        ))
        Example:
          spate -d disks -j 5 -i urls.txt && spate status -d disks
        """

    /// A line for each option.
    private static func lines(of options: [ProgramOption], for command: Command) -> String {
        options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            let value = option.valueName.map { " \($0)" } ?? ""
            return row("  \(letter)\(option.longForm)\(value)", option.summary(for: command), at: 29)
        }.joined(separator: "\n")
    }

    /// Two columns. The second begins at `column`.
    private static func row(_ first: String, _ second: String, at column: Int) -> String {
        first + String(repeating: " ", count: max(1, column - first.count)) + second
    }
}

extension HelpPage {
    /// The options of a command that its page lists.
    func options(of command: Command) -> [ProgramOption] {
        command.options.filter { listsOptions || ProgramOption.ofOneCommand.contains($0) }
    }
}
