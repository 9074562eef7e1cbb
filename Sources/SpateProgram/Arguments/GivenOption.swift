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
    /// The command that continues this one, without secrets.
    var resumeCommand: String {
        let words = ["spate", "resume"] + optionsForResume.filter { !$0.isSecret }.flatMap(\.words)
        return words.map(PlainText.shellWord).joined(separator: " ")
    }

    /// `resumeCommand`, and what it lacks.
    var resumeAdvice: String {
        let secrets = secretsForResume
        return resumeCommand + (secrets.isEmpty ? "" : ", with the same \(ProgramOption.list(secrets)) options")
    }

    /// The secret options that must be given again with `resumeCommand`.
    var secretsForResume: [ProgramOption] {
        let given = optionsForResume.filter(\.isSecret).map(\.option)
        return ProgramOption.all.filter { given.contains($0) }
    }

    private var optionsForResume: [GivenOption] {
        usesInForce.filter { $0.option.isNeededByResume && $0.option.commands.contains(.resume) }
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
