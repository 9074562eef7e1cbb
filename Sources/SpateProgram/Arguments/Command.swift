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
    var synopsis: String {
        switch self {
        case .get: "spate [get] [options] URL..."
        case .delete: "spate delete [options] URL..."
        case .verify: "spate verify [options]"
        case .repair: "spate repair URL|FILE..."
        case .demo: "spate demo [--serve]"
        case .completions: "spate completions SHELL"
        case .status, .resume: "spate \(rawValue) [options]"
        case .help: "spate help [TOPIC]"
        case .version: "spate version"
        }
    }

    /// What the command does, in a line.
    var summary: String {
        switch self {
        case .get: "fetch files; continues partial files"
        case .status: "show what a folder has, and what waits there"
        case .resume: "finish what was stopped or killed"
        case .verify: "check finished files; fetch bad ones anew"
        case .repair: "mend files by the pieces of a Metalink"
        case .delete: "delete these files, finished or partial"
        case .demo: "see it all at work offline, or serve its files"
        case .completions: "print the completions for bash, zsh or fish"
        case .help: "show the help about a command or a topic"
        case .version: "show the version"
        }
    }
}
