@testable import SpateProgram

/// Documentation/Options.md and its Chinese version, from the texts of the help.
struct OptionsPage {
    let language: PageLanguage

    var path: String { "Documentation/Options\(language.suffix).md" }

    var text: String {
        let topics = OptionGroup.allCases.map { section(heading($0.rawValue), says($0.summary), table(of: $0.options)) }
        return
            ([
                "# \(say("The options of `spate`"))", links,
                say("This page is generated from the help of the program. On a terminal: `spate help TOPIC`.")
                    + "  \n" + say("To write it again:")
                    + " `SPATE_UPDATE_SNAPSHOTS=1 swift test --filter OptionsPageTests`",
                contents,
            ] + topics + [
                section(heading("others"), tableWithCommands(of: ProgramOption.ofOneCommand + ProgramOption.general)),
                section(
                    heading("from A to Z"),
                    tableWithCommands(of: ProgramOption.all.sorted { $0.name < $1.name })
                ),
                section(heading("commands"), commands),
                section(heading("keys"), rows(of: .keys)),
                section(heading("exit codes"), rows(of: .exitCodes)),
            ]).joined(separator: "\n\n") + "\n"
    }

    private static let headings =
        OptionGroup.allCases.map(\.rawValue) + ["others", "from A to Z", "commands", "keys", "exit codes"]

    private var links: String {
        switch language {
        case .english: "English · [简体中文](Options.zh-CN.md)"
        case .chinese: "[English](Options.md) · 简体中文"
        }
    }

    private var contents: String {
        Self.headings.map { name in
            let title = heading(name)
            return "[\(title)](#\(title.lowercased().replacing(" ", with: "-")))"
        }.joined(separator: " · ")
    }

    private func say(_ text: String) -> String { language.says(text) }

    private func says(_ summary: String) -> String { language.sentence(say(summary)) }

    private func heading(_ name: String) -> String {
        let text = say(name)
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private func section(_ heading: String, _ parts: String...) -> String {
        (["## \(heading)"] + parts).joined(separator: "\n\n")
    }

    private func table(_ columns: [String], _ rows: [[String]]) -> String {
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let rule = "|" + String(repeating: "---|", count: columns.count)
        return ([line(columns.map(say)), rule] + rows.map(line)).joined(separator: "\n")
    }

    /// Options of `get`.
    private func table(of options: [ProgramOption]) -> String {
        table(["option", "short", "what it does"], options.map { forms(of: $0) + [summary(of: $0)] })
    }

    private func tableWithCommands(of options: [ProgramOption]) -> String {
        table(
            ["option", "short", "what it does", "commands"],
            options.map { forms(of: $0) + [summary(of: $0), commands(of: $0)] }
        )
    }

    private func forms(of option: ProgramOption) -> [String] {
        [code(option.longForm + (option.valueName.map { " \($0)" } ?? "")), option.letter.map { code("-\($0)") } ?? ""]
    }

    private func summary(of option: ProgramOption) -> String {
        cell(say(option.commands.first.map(option.summary(for:)) ?? ""))
    }

    private func commands(of option: ProgramOption) -> String {
        ProgramOption.general.contains(option)
            ? say("all") : option.commands.map { code($0.rawValue) }.joined(separator: " ")
    }

    private var commands: String {
        table(
            ["command", "what it does"],
            Command.allCases.map { [code($0.synopsis), cell(say($0.summary))] }
        )
    }

    private func rows(of topic: HelpTopic) -> String {
        let rows = HelpPage(topic)?.rows ?? []
        return table(
            [topic == .keys ? "key" : "exit code", "meaning"],
            rows.map { [$0.words.isEmpty ? "" : code($0.words), cell(say($0.meaning))] }
        )
    }

    private func code(_ text: String) -> String { "`\(cell(text))`" }

    private func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
}

/// A language of generated pages.
enum PageLanguage: String, CaseIterable {
    case english, chinese

    var suffix: String { self == .english ? "" : ".zh-CN" }

    /// The text in this language. A text that is not translated stays English, and a test names it.
    func says(_ text: String) -> String { self == .english ? text : ChineseTexts.all[text] ?? text }

    /// The text as a sentence of its own.
    func sentence(_ text: String) -> String {
        self == .english ? text.prefix(1).uppercased() + text.dropFirst() + "." : text + "。"
    }
}
