import Spate

/// The texts of `--help` and `--version`. Each page fits a terminal of 24 lines and 80 columns, with a prompt below.
enum Usage {
    static let version = "spate \(SpateVersion.text)"

    /// The page about a command, or the overview.
    static func help(about command: Command?) -> String {
        guard let command, let page = HelpPage(command) else { return help }
        var parts = [command.synopsis, page.text]
        let options = page.listsOptions ? command.options : command == .get ? onItsOwnPage : []
        if !options.isEmpty { parts.append(lines(of: options, for: command).joined(separator: "\n")) }
        let heading = page.examples.count == 1 ? "Example:" : "Examples:"
        parts.append(([heading] + page.examples.map { "  \($0)" }).joined(separator: "\n"))
        return parts.joined(separator: "\n\n")
    }

    /// Options of `get` that are told on its own page, for the overview has no room for all.
    private static let onItsOwnPage: Set<ProgramOption> = [.checksum, .checksumLists, .authorities, .noKeys]

    static let help = """
        \(Command.allCases.filter { HelpPage($0) != nil }.map { row($0.synopsis, $0.summary, at: 32) }
            .joined(separator: "\n"))
        \(lines(of: Command.get.options.subtracting(onItsOwnPage).subtracting([.help, .version]), for: .get).joined(separator: "\n"))
        \(row("  -h, --help, --version", "more options and the exit codes: spate get --help", at: 29))
        Example:
          spate -d disks -j 5 -i urls.txt && spate status -d disks
        """

    /// A line for each option.
    private static func lines(of options: Set<ProgramOption>, for command: Command) -> [String] {
        ProgramOption.allCases.filter(options.contains).map { option in
            let letter = option.letter.map { "-\($0), " } ?? "    "
            let value = option.value.map { " \($0.name)" } ?? ""
            return row("  \(letter)\(option.longForm)\(value)", option.summary(for: command), at: 29)
        }
    }

    /// Two columns, the second at a fixed place.
    private static func row(_ first: String, _ second: String, at column: Int) -> String {
        first + String(repeating: " ", count: max(1, column - first.count)) + second
    }
}
