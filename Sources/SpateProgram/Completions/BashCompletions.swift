/// Completions for bash(1), without the package bash-completion.
enum BashCompletions {
    static let script = """
        # Completions of spate for bash, printed by: spate completions bash
        _spate() {
            local current=${COMP_WORDS[COMP_CWORD]} option= command= word options operands=
            COMPREPLY=()
            # Find the command, and the option that takes the current word. Bash makes a word of each =.
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                if [[ $word == = ]]; then continue; fi
                if [[ -n $option ]]; then
                    option=
                    continue
                fi
                case $word in
                    \(forms(of: [.folder, .file, .program, .text]))) option=$word ;;
                    --) return ;;
                    -*) ;;
                    *) command=${command:-$word} ;;
                esac
            done
            if [[ $current == = ]]; then current=; fi
            case $option in
                \(forms(of: [.folder])))
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -d -- "$current")
                    return ;;
                \(forms(of: [.file, .program])))
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    return ;;
        \(ProgramOption.all.filter { !$0.valueWords.isEmpty }.map(values).joined(separator: "\n"))
                -*) return ;;
            esac
            options='\(options(of: .get))'
            case $command in
        \(Command.allCases.filter { $0 != .get }.map(branch).joined(separator: "\n"))
                '') operands='\(Command.allCases.map(\.rawValue).joined(separator: " "))' ;;
            esac
            if [[ $current == -* ]]; then operands=$options; fi
            mapfile -t COMPREPLY < <(compgen -W "$operands" -- "$current")
        }
        complete -F _spate spate
        """

    /// A shell pattern of all options with such a value.
    private static func forms(of values: [ProgramOption.Value?]) -> String {
        ProgramOption.all.filter { values.contains($0.value) }.flatMap(\.forms).joined(separator: " | ")
    }

    private static func values(of option: ProgramOption) -> String {
        """
                \(option.forms.joined(separator: " | ")))
                    mapfile -t COMPREPLY < <(compgen -W '\(option.valueWords.joined(separator: " "))' -- "$current")
                    return ;;
        """
    }

    private static func branch(for command: Command) -> String {
        """
                \(command)) options='\(options(of: command))' operands='\(command.operands.joined(separator: " "))' ;;
        """
    }

    private static func options(of command: Command) -> String {
        command.offeredOptions.map(\.longForm).joined(separator: " ")
    }
}
