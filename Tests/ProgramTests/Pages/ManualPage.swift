@testable import SpateProgram

/// Documentation/spate.1, from the texts of the help. See man(7).
enum ManualPage {
    static let text = """
        .\\" Generated from the program. To write it again: SPATE_UPDATE_SNAPSHOTS=1 swift test --filter ManualPageTests
        .TH SPATE 1 "" "\(Usage.version)" "User Commands"
        .SH NAME
        spate \\- download many files at once, and resume them
        .SH SYNOPSIS
        .nf
        \(Command.allCases.map { escaped($0.synopsis) }.joined(separator: "\n"))
        .fi
        .SH DESCRIPTION
        \(HelpPage(.command(.get)).map { paragraphs($0.text) } ?? "")
        .SH OPTIONS
        \(OptionGroup.allCases.map(section).joined(separator: "\n"))
        .SS Others
        \(options(ProgramOption.general, of: .get))
        .SH REFRESH COMMANDS
        \(body(of: .refresh))
        .SH KEYS
        \(body(of: .keys))
        .SH EXIT STATUS
        \(body(of: .exitCodes))
        .SH COMMANDS
        \(Command.allCases.filter { $0 != .get }.map(section).joined(separator: "\n"))
        .SH EXAMPLES
        \(examples(([.command(.get)] + HelpTopic.ofOptions + HelpTopic.others).compactMap(HelpPage.init).flatMap(\.examples)))
        .SH SEE ALSO
        .BR curl (1),
        .BR aria2c (1)

        """

    private static func section(about group: OptionGroup) -> String {
        let name = group.rawValue.prefix(1).uppercased() + group.rawValue.dropFirst()
        let text = body(of: .group(group))
        return ([".SS \(name)"] + (text.isEmpty ? [] : [text]) + [options(group.options, of: .get)])
            .joined(separator: "\n")
    }

    private static func section(about command: Command) -> String {
        let heading = ".SS \(escaped(command.synopsis))"
        guard let page = HelpPage(.command(command)) else { return "\(heading)\nTo \(escaped(command.summary))." }
        let own = page.options(of: command)
        return
            ([heading, paragraphs(page.text)] + (own.isEmpty ? [] : [options(own, of: command)])
            + [".PP", "Examples:", ".PP", examples(page.examples)])
            .joined(separator: "\n")
    }

    private static func body(of topic: HelpTopic) -> String {
        guard let page = HelpPage(topic) else { return "" }
        let rows = page.rows.map { row in
            row.words.isEmpty ? ".br\n\(escaped(row.meaning))" : ".TP\n\(escaped(row.words))\n\(escaped(row.meaning))"
        }
        return ((page.text.isEmpty ? [] : [paragraphs(page.text)]) + rows).joined(separator: "\n")
    }

    private static func paragraphs(_ text: String) -> String {
        escaped(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".PP" : String($0) }.joined(separator: "\n")
    }

    private static func options(_ options: [ProgramOption], of command: Command) -> String {
        options.map { option in
            let value = option.valueName.map { " \(escaped($0))" } ?? ""
            let forms = escaped(option.forms.joined(separator: ", "))
            return ".TP\n\\fB\(forms)\\fR\(value)\n\(escaped(option.summary(for: command)))"
        }.joined(separator: "\n")
    }

    private static func examples(_ lines: [String]) -> String {
        ([".nf"] + lines.map(escaped) + [".fi"]).joined(separator: "\n")
    }

    /// No text begins a line with a dot, which would make it a request.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
            .replacing("~", with: "\\(ti")
    }
}
