import SpateConsole

/// Completions for zsh(1), see zshcompsys(1).
enum ZshCompletions {
    static let script = """
        #compdef spate
        # Completions of spate for zsh, printed by: spate completions zsh
        _spate() {
            local curcontext=$curcontext state line
            typeset -A opt_args
            local -a commands=(
                \(commands.joined(separator: "\n        "))
            )
            # Options of get, which is the command if none is named. An empty action for operands would show a message
            # instead of inserting an option.
            local -a operands=('*: :{}') options=(
                \(options(of: .get).joined(separator: "\n        "))
            )
            _arguments -C -s -S -A '-*' $options '1: :->command' '*:: :->rest' && return
            case $state in
                command) _describe -t commands command commands ;;
                rest)
                    case $line[1] in
        \(Command.allCases.filter { $0 != .get }.map(branch).joined(separator: "\n"))
                    esac
                    _arguments -s -S $options $operands ;;
            esac
        }
        # Autoloaded from a folder of fpath, or sourced.
        if [[ $funcstack[1] == _spate ]]; then _spate "$@"; else compdef _spate spate; fi
        """

    private static let commands = Command.allCases.map { PlainText.shellWord("\($0):\($0.summary)") }

    private static func branch(for command: Command) -> String {
        let operands = command.operands.joined(separator: " ")
        let options = options(of: command).map { "\n                    \($0)" }.joined()
        return """
                        \(command))
                            \(operands.isEmpty ? "" : "operands=('1: :(\(operands))') ")options=(\(options)
                            ) ;;
            """
    }

    private static func options(of command: Command) -> [String] {
        command.offeredOptions.flatMap { option in
            option.forms.map { PlainText.shellWord(specification(of: option, as: $0, for: command)) }
        }
    }

    private static func specification(of option: ProgramOption, as form: String, for command: Command) -> String {
        // After one use, zsh offers neither form again.
        let once = option.isRepeatable ? "*" : option.forms.count > 1 ? "(\(option.forms.joined(separator: " ")))" : ""
        let text = "[\(option.summary(for: command))]"
        guard let name = option.valueName?.replacing(":", with: "\\:") else { return once + form + text }
        // The value is a separate word or attached: -dDIR, --directory=DIR.
        return once + form + (form.hasPrefix("--") ? "=" : "+") + text + ":\(name):\(action(for: option))"
    }

    private static func action(for option: ProgramOption) -> String {
        let words = option.valueWords.joined(separator: " ")
        return switch option.value {
        case .folder: "_directories"
        case .file, .program: "_files"
        case .text, nil: words.isEmpty ? " " : "(\(words))"
        }
    }
}
