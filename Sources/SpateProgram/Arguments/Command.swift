/// A command of the program. The parser, the help, the completions and the manual page share this table.
enum Command: String, CaseIterable {
    case get, status, resume, verify, repair, delete, demo, completions, help, version

    /// The options that the command accepts. The parser handles `--help` and `--version` earlier.
    var options: [ProgramOption] {
        self == .help || self == .version ? ProgramOption.all : ProgramOption.all.filter { $0.commands.contains(self) }
    }

    /// The options that completions offer, in order.
    var offeredOptions: [ProgramOption] {
        hasPage ? ProgramOption.all.filter { $0.commands.contains(self) || $0.name == "help" } : []
    }

    /// Whether a page of the help is about it.
    var hasPage: Bool { self != .help && self != .version }

    /// The words that can follow the command.
    var operands: [String] {
        switch self {
        case .completions: Shell.allCases.map(\.rawValue)
        case .help: HelpTopic.all.map(\.word)
        case .get, .status, .resume, .verify, .repair, .delete, .demo, .version: []
        }
    }

    /// The usage line.
    var synopsis: String { line.synopsis }

    /// What the command does, in a line.
    var summary: String { line.summary }

    private var line: (synopsis: String, summary: String) {
        switch self {
        case .get: ("spate [get] [options] URL...", "fetch files; continues partial files")
        case .status: ("spate status [options]", "show what a folder has, and what waits there")
        case .resume: ("spate resume [options]", "finish what was stopped or killed")
        case .verify: ("spate verify [options]", "check finished files; fetch bad ones anew")
        case .repair: ("spate repair URL|FILE...", "mend files by the pieces of a Metalink")
        case .delete: ("spate delete [options] URL...", "delete these files, finished or partial")
        case .demo: ("spate demo [--serve]", "see it all at work offline, or serve its files")
        case .completions: ("spate completions SHELL", "print the completions for bash, zsh or fish")
        case .help: ("spate help [TOPIC]", "show the help about a command or a topic")
        case .version: ("spate version", "show the version")
        }
    }
}
