/// Reads a command line the way people expect of GNU programs: `--name value`, `--name=value`, `-n value`, `-nvalue`,
/// letters that take no value run together, options before and after URLs, and `--` before what only looks like one.
struct ArgumentParser {
    private var arguments = Arguments()
    private var rest: ArraySlice<String>
    private var used: [ProgramOption] = []
    private var positionals: [String] = []

    /// - Parameter words: the command line without the program's name.
    static func parse(_ words: [String]) throws(UsageError) -> Arguments {
        var parser = ArgumentParser(rest: words[...])
        return try parser.parsed()
    }

    private init(rest: ArraySlice<String>) {
        self.rest = rest
    }

    private mutating func parsed() throws(UsageError) -> Arguments {
        var command: Command?
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
            // Whoever asks for help wants it, not a list of what else is wrong.
            if used.last == .help { return Arguments(command: .help) }
            if used.last == .version { return Arguments(command: .version) }
        }
        arguments.command = command ?? .get
        arguments.urls = positionals
        try checkFit()
        return arguments
    }

    private mutating func readLongOption(_ word: String) throws(UsageError) {
        let name = word.prefix { $0 != "=" }
        guard let option = ProgramOption(rawValue: String(name.dropFirst(2))) else {
            throw Self.unknown(String(name))
        }
        let attached = name.endIndex < word.endIndex ? String(word[name.endIndex...].dropFirst()) : nil
        if option.valueName == nil, attached != nil {
            throw UsageError("\(option.longForm) takes no value")
        }
        try set(option, attached: attached)
    }

    private mutating func readLetters(_ word: String) throws(UsageError) {
        if ProgramOption.allCases.contains(where: { $0.longForm == "-\(word)" }) {
            throw Self.unknown(word)
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = ProgramOption(letter: letter) else {
                throw Self.unknown("-\(letter)")
            }
            guard option.valueName != nil else {
                try set(option, attached: nil)
                continue
            }
            try set(option, attached: letters.isEmpty ? nil : String(letters))
            return
        }
    }

    private mutating func set(_ option: ProgramOption, attached: String?) throws(UsageError) {
        used.append(option)
        guard let valueName = option.valueName else {
            arguments.setFlag(option)
            return
        }
        let value: String
        if let attached {
            value = attached
        } else if let next = rest.first, next != "--", !ProgramOption.isName(next) {
            value = next
            rest.removeFirst()
        } else {
            throw UsageError("\(option.longForm) needs a value: \(option.longForm) \(valueName)")
        }
        try arguments.setValue(value, of: option)
    }

    /// Whether options, URLs and command go together.
    private func checkFit() throws(UsageError) {
        let command = arguments.command
        if let stray = used.first(where: { !command.options.contains($0) }) {
            throw UsageError("\(command.rawValue) takes no \(stray.longForm)")
        }
        switch command {
        case .get, .delete:
            guard !positionals.isEmpty || !arguments.inputs.isEmpty else {
                throw UsageError("\(command.rawValue) needs at least one URL, or a file of them with --input FILE")
            }
        case .status, .resume:
            guard positionals.isEmpty else {
                throw UsageError(
                    "\(command.rawValue) takes no URL, it looks at the whole folder; give single URLs to spate get"
                )
            }
        case .demo:
            guard positionals.isEmpty else {
                throw UsageError("demo takes no URL, it brings a server of its own; to fetch, leave the word demo out")
            }
        case .help, .version:
            break
        }
        if arguments.output != nil, positionals.count > 1, Set(positionals).count > 1 {
            throw UsageError("--output names one file, and there are several URLs; use --directory to choose a folder")
        }
    }

    private static func unknown(_ option: String) -> UsageError {
        let word = option.drop { $0 == "-" }
        let names = ProgramOption.allCases.map(\.rawValue)
        guard let meant = Suggestion.nearest(to: String(word), among: names) else {
            return UsageError("unknown option \(option)")
        }
        return UsageError("unknown option \(option); did you mean --\(meant)?")
    }
}
