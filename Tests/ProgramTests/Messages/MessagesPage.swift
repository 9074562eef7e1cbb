import Foundation
import SpateConsole
import SpateTestSupport

@testable import SpateProgram

/// Documentation/Messages.md, generated from the program.
struct MessagesPage {
    private var lines: [String] = []

    static func text() throws -> String {
        var page = MessagesPage()
        try page.write()
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() throws {
        lines = [
            "# The messages of `spate`",
            "",
            "This page is generated from the program. A test fails if a message is missing or differs.",
            "To write it again: `SPATE_UPDATE_SNAPSHOTS=1 swift test --filter MessagesPageTests`.",
            "",
            "Errors go to standard error. After a usage error the exit code is 2, and nothing was fetched or changed.",
            "The message follows `spate: `, and the next line is `Try: spate --help`. Messages never contain the user",
            "and password of a URL or the value of a header. On this page `FOLDER` is any folder, and long names are cut.",
        ]
        let folder = try MessageFolder()
        calls("Options", WrongCalls.options, in: folder)
        options()
        calls("Values", WrongCalls.values, in: folder)
        calls("URLs and commands", WrongCalls.fetching, in: folder)
        calls("Files and folders", WrongCalls.files, in: folder)
        let demo = [
            ["there is no room for temporary files", code(MessageSamples.demoFolder.message)],
            ["the server can't listen on 127.0.0.1", code(MessageSamples.demoServer.message)],
        ]
        table("The demo", ["when", "message"], demo)
        let content = [["there is no place for the file of `-o -`", code(MessageSamples.contentFolder.message)]]
        table("Standard output", ["when", "message"], content)
        let terminal = ["`--progress bar` is given without a terminal", code(MessageSamples.noTerminal.message)]
        table("The terminal", ["when", "message"], [terminal])
        let notices = MessageSamples.notices.map { [$0.when, code($0.notice.text)] }
        table("During and after a run", ["when", "message"], notices)
        lines += [
            "", "The reasons of failures are the library's error messages. Its documentation lists them by code.",
        ]
        let summaries = MessageSamples.summaries.map {
            [$0.when, $0.summary.lines.map(code).joined(separator: "<br>")]
        }
        table("After Ctrl-C, `q` or a signal", ["when", "message"], summaries)
    }

    private mutating func calls(_ title: String, _ calls: [[String]], in folder: MessageFolder) {
        let rows = calls.map { words in
            let line = (["spate"] + words.map(PlainText.shellWord)).joined(separator: " ")
            return [code(line), folder.refusal(of: words).map { code($0.message) } ?? "nothing"]
        }
        table(title, ["command", "message"], rows)
    }

    private mutating func options() {
        let rows = ForeignOption.all.map { option in
            [option.spellings.map(code).joined(separator: " "), code(option.answer)]
        }
        table("Options of other programs", ["option", "message, after `unknown option` and its name"], rows)
    }

    private mutating func table(_ title: String, _ heads: [String], _ rows: [[String]]) {
        lines += ["", "## \(title)", "", row(heads), "|" + String(repeating: "---|", count: heads.count)]
        lines += rows.map(row)
    }

    private func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |" }

    private func code(_ text: String) -> String {
        let short = text.replacing(/a{200,}/, with: "aaa…")
        let line = short.replacing("\n", with: "⏎").replacing("\t", with: "⇥").replacing("|", with: #"\|"#)
        return "`\(line)`"
    }
}
