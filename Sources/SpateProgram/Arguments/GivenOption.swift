import SpateConsole

/// An option as it was typed.
struct GivenOption: Equatable {
    let option: ProgramOption
    /// `-d` or `--directory`.
    private let form: String
    /// `nil` if the option takes none. Of a secret nothing is kept.
    private let value: String?
    /// The file that the value names.
    let file: String?

    /// Whether the value must not be printed again.
    let isSecret: Bool

    init(_ option: ProgramOption, as form: String, value: String?) {
        (self.option, self.form) = (option, form)
        isSecret = option.isSecret || option.mayHaveLogin && value?.contains("@") == true
        self.value = isSecret ? nil : value
        file =
            if option.takesFileAfterAt, let value, value.hasPrefix("@") {
                String(value.dropFirst())
            } else {
                option.value == .file ? value : nil
            }
    }

    /// The words of a command line.
    var words: [String] { [form] + (value.map { [$0] } ?? []) }
}

extension Arguments {
    /// The command that continues this one, without secrets, and the secret options that must be given again with it.
    var resumeAdvice: String {
        let needed = usesInForce.filter { $0.option.isNeededByResume && $0.option.commands.contains(.resume) }
        let words = ["spate", "resume"] + needed.filter { !$0.isSecret }.flatMap(\.words)
        let command = words.map(PlainText.shellWord).joined(separator: " ")
        let secret = needed.filter(\.isSecret).map(\.option)
        if secret.isEmpty { return command }
        let options = ProgramOption.list(ProgramOption.all.filter { secret.contains($0) })
        return "\(command), with the same \(options) options"
    }

    /// The files that options name, with these options.
    var namedFiles: [(option: ProgramOption, name: String)] {
        usesInForce.compactMap { use in use.file.map { (use.option, $0) } }
    }

    /// Of an option that is not repeatable, only the last use.
    private var usesInForce: [GivenOption] {
        var names: Set<String> = []
        let uses = given.reversed().filter { $0.option.isRepeatable || names.insert($0.option.name).inserted }
        return uses.reversed()
    }
}
