import SpateConsole

/// Completions for fish(1), see complete(1).
enum FishCompletions {
    static let script = """
        # Completions of spate for fish, printed by: spate completions fish
        function __spate_command_is -d 'Whether the command is one of these; none is before the command'
            set -l command none
            set -l takes_value false
            set -l words (commandline -opc)
            for word in $words[2..]
                if $takes_value
                    set takes_value false
                    continue
                end
                switch $word
                    case \(ProgramOption.all.filter { $0.value != nil }.flatMap(\.forms).joined(separator: " "))
                        set takes_value true
                    case '-*'
                    case \(Command.allCases.map(\.rawValue).joined(separator: " "))
                        set command $word
                        break
                    case '*'
                        set command get
                        break
                end
            end
            contains -- $command $argv
        end
        complete -c spate -f
        \((Command.allCases.map(line) + Command.allCases.flatMap(operands) + ProgramOption.all.flatMap(lines))
            .joined(separator: "\n"))
        """

    private static func line(for command: Command) -> String {
        "complete -c spate -n '__spate_command_is none' -a \(command) -d \(PlainText.shellWord(command.summary))"
    }

    private static func operands(of command: Command) -> [String] {
        guard !command.operands.isEmpty else { return [] }
        let words = command.operands.joined(separator: " ")
        return ["complete -c spate -n '__spate_command_is \(command)' -a '\(words)'"]
    }

    /// A line for each of the option's summaries.
    private static func lines(for option: ProgramOption) -> [String] {
        let commands = Command.allCases.filter { $0.offeredOptions.contains(option) }
        return Dictionary(grouping: commands) { option.summary(for: $0) }.sorted { $0.key < $1.key }
            .map { summary, commands in
                let names = commands.flatMap { $0 == .get ? ["none", "get"] : [$0.rawValue] }.joined(separator: " ")
                let letter = option.letter.map { " -s \($0)" } ?? ""
                return "complete -c spate -n '__spate_command_is \(names)'\(letter) -l \(option.name)"
                    + "\(arguments(for: option)) -d \(PlainText.shellWord(summary))"
            }
    }

    private static func arguments(for option: ProgramOption) -> String {
        let words = option.valueWords.joined(separator: " ")
        return switch option.value {
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .file, .program: " -r -F"
        case .text: words.isEmpty ? " -x" : " -x -a '\(words)'"
        case nil: ""
        }
    }
}
