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
        \(HelpPage(.get).map { paragraphs($0.text) } ?? "")
        .SH OPTIONS
        \(options(of: .get))
        .SH LISTS AND SECRETS
        \(paragraphs(HelpPage.files.text + "\n\n" + HelpPage.options.text))
        .SH PROGRAMS
        \(paragraphs(HelpPage.programs.text))
        .SH COMMANDS
        \(Command.allCases.filter { $0 != .get }.map(section).joined(separator: "\n"))
        .SH EXAMPLES
        \(examples([HelpPage(.get), .files, .options, .programs].compactMap(\.self).flatMap(\.examples)))
        .SH SEE ALSO
        .BR curl (1),
        .BR aria2c (1)

        """

    private static func section(about command: Command) -> String {
        let heading = ".SS \(escaped(command.synopsis))"
        guard let page = HelpPage(command) else { return "\(heading)\nTo \(escaped(command.summary))." }
        let options = page.listsOptions ? [options(of: command)] : []
        return ([heading, paragraphs(page.text)] + options + [".PP", "Examples:", ".PP", examples(page.examples)])
            .joined(separator: "\n")
    }

    private static func paragraphs(_ text: String) -> String {
        escaped(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? ".PP" : String($0) }.joined(separator: "\n")
    }

    private static func options(of command: Command) -> String {
        command.offeredOptions.map { option in
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
