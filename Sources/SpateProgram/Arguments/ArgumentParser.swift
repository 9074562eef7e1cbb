import SpateConsole

/// Reads a command line with the conventions of GNU programs: `--name value`, `--name=value`, `-n value`, `-nvalue`,
/// combined letters (`-qj4`), options before and after URLs, and `--` as the end of the options.
struct ArgumentParser {
    private var arguments = Arguments()
    private var rest: ArraySlice<String>
    private var positionals: [String] = []
    private var command: Command?

    /// - Parameter words: the command line without the program's name.
    static func parse(_ words: [String]) throws(UsageError) -> Arguments {
        var parser = ArgumentParser(rest: words[...])
        return try parser.parsed()
    }

    private mutating func parsed() throws(UsageError) -> Arguments {
        while let word = rest.popFirst() {
            if word == "--" {
                positionals += rest
                break
            }
            if word.hasPrefix("--") {
                try readLongOption(word)
            } else if word.hasPrefix("-"), word != "-" {
                try readLetters(word)
            } else if command == nil, positionals.isEmpty, let named = Command(rawValue: word) {
                command = named
            } else {
                positionals.append(word)
            }
            // Help is shown even if the rest of the line is wrong.
            if arguments.command == .help {
                return Arguments(command: .help, helpTopic: command.map(HelpTopic.command))
            }
            if arguments.command == .version { return Arguments(command: .version) }
        }
        if command == .help { return Arguments(command: .help, helpTopic: try HelpTopic.named(by: positionals)) }
        arguments.command = command ?? .get
        if command == .completions {
            guard positionals.count == 1, let shell = Shell(rawValue: positionals[0]) else {
                throw UsageError(.shell, "spate completions needs the name of one shell: bash, zsh or fish")
            }
            arguments.shell = shell
        } else {
            arguments.urls = positionals
        }
        try arguments.checkCombination()
        return arguments
    }

    private mutating func readLongOption(_ word: String) throws(UsageError) {
        let name = word.prefix { $0 != "=" }
        guard let option = ProgramOption.named(String(name)) else { throw unknown(String(name)) }
        let attached = name.endIndex < word.endIndex ? String(word[name.endIndex...].dropFirst()) : nil
        if option.value == nil, attached != nil {
            throw UsageError(
                .unexpectedValue,
                "\(option.longForm) takes no value; leave out the = and everything after it"
            )
        }
        try set(option, as: String(name), attached: attached)
    }

    private mutating func readLetters(_ word: String) throws(UsageError) {
        // The word lacks a hyphen, or it is an option of another program, such as -nc.
        if word.count > 2, ProgramOption.named("-\(word)") != nil || ForeignOption.answer(to: word) != nil {
            throw unknown(word)
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = ProgramOption.named("-\(letter)") else { throw unknown("-\(letter)") }
            guard option.value != nil else {
                try set(option, as: "-\(letter)", attached: nil)
                continue
            }
            try set(option, as: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
            return
        }
    }

    private mutating func set(_ option: ProgramOption, as form: String, attached: String?) throws(UsageError) {
        let value = try option.valueName.map { (name) throws(UsageError) in
            try self.value(named: name, of: option, attached)
        }
        let read = OptionValue(text: value ?? "", option: option.longForm, isSecret: option.isSecret)
        try option.apply(&arguments, read)
        arguments.given.append(GivenOption(option, as: form, value: value))
    }

    private mutating func value(
        named name: String,
        of option: ProgramOption,
        _ attached: String?
    ) throws(UsageError) -> String {
        let isNext = rest.first.map { $0 != "--" && ProgramOption.named($0) == nil } ?? false
        guard let value = attached ?? (isNext ? rest.popFirst() : nil) else {
            throw UsageError(.missingValue, "\(option.longForm) needs a value: \(option.longForm) \(name)")
        }
        guard !value.isEmpty, !value.utf8.contains(0) else {
            throw UsageError(
                .emptyValue,
                "\(option.longForm) has an empty value; give it a value (\(name)) or leave it out"
            )
        }
        return value
    }

    private func unknown(_ option: String) -> UsageError {
        let word = option.drop { $0 == "-" }
        if let answer = ForeignOption.answer(to: option) {
            return UsageError(.foreignOption, "unknown option \(option)" + meant(by: word, beside: answer) + answer)
        }
        let advice: String?
        if let letter = word.first, word.count == 1 {
            let other = Character(letter.isUppercase ? letter.lowercased() : letter.uppercased())
            advice = ProgramOption.named("-\(other)").map { "did you mean -\(other), \($0.longForm)?" }
        } else {
            // Another command's option only if this command has none like it.
            let found = [ownOptions, ProgramOption.all].lazy.compactMap {
                Suggestion.nearest(to: word.lowercased(), among: $0.map(\.name))
            }
            advice = found.first.map { "did you mean --\($0)?" }
        }
        let text = advice ?? "spate help options shows all options"
        return UsageError(.unknownOption, "unknown option \(PlainText.oneLine(option)); \(text)")
    }

    private var ownOptions: [ProgramOption] { (command ?? .get).options }

    /// What stands between another program's option and the answer to it: `--form` may also be a slip for `--from`.
    private func meant(by word: Substring, beside answer: String) -> String {
        guard word.count > 1,
            let meant = Suggestion.misspelled(String(word), among: ownOptions.map(\.name), edits: 1),
            !answer.contains("--\(meant)")
        else { return ": " }
        return "; did you mean --\(meant)? If not: "
    }
}
