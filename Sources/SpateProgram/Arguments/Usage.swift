import Spate

/// The texts of `--help` and `--version`. Each page fits a terminal of 24 lines and 80 columns, with a prompt below.
enum Usage {
    static let version = "spate \(SpateVersion.text)"
    /// The output of `--version`.
    static var versions: String { version + "\n" + SpateVersion.libraries }

    /// The page about a topic, or the overview.
    static func help(about topic: HelpTopic?) -> String {
        switch topic {
        case .command(let command): help(about: command)
        case .files:
            text(
                of: .files,
                heading: [],
                options: furtherLines(of: ProgramOption.files + ProgramOption.lists + ProgramOption.checksums)
            )
        case .options:
            text(
                of: .options,
                heading: [],
                options: furtherLines(of: ProgramOption.speed + ProgramOption.requests + ProgramOption.output)
            )
        case .programs:
            text(
                of: .programs,
                heading: [],
                options: ["Options of spate get and resume with programs of yours:"]
                    + lines(of: ProgramOption.programs, for: .get)
            )
        case nil: help
        }
    }

    /// The page about a command, or the overview.
    static func help(about command: Command) -> String {
        guard let page = HelpPage(command) else { return help }
        let options = page.listsOptions ? lines(of: command.options, for: command) : []
        return text(of: page, heading: [command.synopsis], options: options)
    }

    private static func text(of page: HelpPage, heading: [String], options: [String]) -> String {
        var parts = heading + [page.text]
        if !options.isEmpty { parts.append(options.joined(separator: "\n")) }
        let heading = page.examples.count == 1 ? "Example:" : "Examples:"
        parts.append(([heading] + page.examples.map { "  \($0)" }).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    private static let mainOptions = Command.get.options.filter(\.isOnOverview)

    static let help = """
        \(Command.allCases.filter { HelpPage($0) != nil && $0 != .completions }.map { row($0.synopsis, $0.summary, at: 32) }
            .joined(separator: "\n"))
        \(lines(of: mainOptions, for: .get).joined(separator: "\n"))
        \(row("  -h, --help, --version", "more: spate help files, options, programs, get", at: 29))
        Example:
          spate -d disks -j 5 -i urls.txt && spate status -d disks
        """

    private static func furtherLines(of options: [ProgramOption]) -> [String] {
        ["Options of spate get that spate --help leaves out:"]
            + lines(of: options.filter { !$0.isOnOverview && $0.commands.contains(.get) }, for: .get)
    }

    /// A line for each option.
    private static func lines(of options: [ProgramOption], for command: Command) -> [String] {
        options.map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            let value = option.valueName.map { " \($0)" } ?? ""
            return row("  \(letter)\(option.longForm)\(value)", option.summary(for: command), at: 29)
        }
    }

    /// Two columns. The second begins at `column`.
    private static func row(_ first: String, _ second: String, at column: Int) -> String {
        first + String(repeating: " ", count: max(1, column - first.count)) + second
    }
}
