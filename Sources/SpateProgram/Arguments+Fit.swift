/// Whether command, options and URLs go together.
extension Arguments {
    /// - Parameter used: the options as they were given.
    func checkFit(_ used: [ProgramOption]) throws(UsageError) {
        if let stray = used.first(where: { !command.options.contains($0) }) {
            throw UsageError(
                .optionOfAnotherCommand,
                "spate \(command.rawValue) takes no \(stray.longForm); it takes \(Self.words(for: command))"
            )
        }
        switch command {
        case .get:
            guard !urls.isEmpty || !inputs.isEmpty else {
                throw UsageError(.nothingToFetch, "give at least one URL, or a file of URLs with --input FILE")
            }
        case .delete:
            guard !urls.isEmpty || !inputs.isEmpty else {
                throw UsageError(
                    .nothingToFetch,
                    "spate delete needs the URL of what it is to remove, or a file of URLs with --input FILE; "
                        + "spate status shows them"
                )
            }
        case .status, .resume, .demo: try checkNoURLs()
        case .help, .version: break
        }
        if Set(urls).count > 1 { try checkOutput(names: urls.count) }
    }

    /// One name is for one file.
    func checkOutput(names count: Int) throws(UsageError) {
        if output != nil, count > 1 {
            throw UsageError(
                .oneNameForMany,
                "--output names one file, and there are several URLs; to choose their folder, give --directory DIR"
            )
        }
    }

    private func checkNoURLs() throws(UsageError) {
        guard let word = urls.first else { return }
        let reason =
            switch command {
            case .demo: "it brings a server of its own; to fetch \(Address.quoted(word)), leave the word demo out"
            case _ where word.contains("://"): "it looks at a whole folder; to go on with one URL: spate URL"
            default: "it looks at a whole folder; to choose which: spate \(command.rawValue) -d \(Self.shell(word))"
            }
        throw UsageError(.noURLWanted, "spate \(command.rawValue) takes no URL: \(reason)")
    }

    private static func shell(_ word: String) -> String { PlainText.shellWord(Address.oneLine(word)) }

    private static func words(for command: Command) -> String {
        switch command {
        case .resume: return "the options of spate get but --output and --input"
        case .demo: return "--serve and no other option but --help"
        default:
            let names = ProgramOption.allCases.filter(command.options.contains).map(\.longForm)
            return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
        }
    }
}
