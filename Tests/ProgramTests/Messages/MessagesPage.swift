import Foundation
import TestSupport

@testable import SpateProgram

/// All that the program says to people, as a page of Markdown: drawn from the program itself.
struct MessagesPage {
    private var lines: [String] = []

    static func text() throws -> String {
        var page = MessagesPage()
        try page.write()
        return page.lines.joined(separator: "\n") + "\n"
    }

    private mutating func write() throws {
        lines = [
            "# What `spate` says, and what to do then",
            "",
            "Each message here was given by the program for this page; a test fails when one is missing or differs.",
            "To write the page anew: `SPATE_WRITE_PAGES=1 swift test --filter MessagesPageTests`.",
            "",
            "Errors are lines on standard error. A call that can't be carried out ends with exit code 2 before anything",
            "is fetched or touched; its message follows `spate: `, and then comes `Try: spate --help`. User and password",
            "of a URL are never repeated, nor is the value of a header. `FOLDER` is any folder; long names are cut here.",
        ]
        let folder = try MessageFolder()
        calls("Options", WrongCall.options, in: folder)
        options()
        calls("Values", WrongCall.values, in: folder)
        calls("What to fetch", WrongCall.fetching, in: folder)
        calls("Files and folders", WrongCall.places, in: folder)
        table(
            "The demo",
            ["when", "it says"],
            [
                ["there is no place for temporary files", code(MessageSamples.demoFolder.message)],
                ["127.0.0.1 can't be listened on", code(MessageSamples.demoServer.message)],
            ]
        )
        notices()
        farewells()
    }

    private mutating func calls(_ title: String, _ calls: [WrongCall], in folder: MessageFolder) {
        let rows = calls.map { [code($0.text), folder.refusal(of: $0).map { code($0.message) } ?? "nothing"] }
        table(title, ["you type", "it says"], rows)
    }

    private mutating func options() {
        let rows = FamiliarOption.all.map { option in
            [option.spellings.map(code).joined(separator: " "), code(option.answer)]
        }
        table("Options of other programs", ["you type", "it says, after `unknown option` and its name"], rows)
    }

    private mutating func notices() {
        table("While it works", ["when", "it says"], MessageSamples.notices.map { [$0.when, code($0.notice.text)] })
        lines += [
            "",
            "The reasons in them are those of the library: they are typed, say what happened and whether trying again",
            "helps, and stand in its documentation by their codes.",
        ]
    }

    private mutating func farewells() {
        let rows = MessageSamples.farewells.map { [$0.when, $0.farewell.lines.map(code).joined(separator: "<br>")] }
        table("When it is stopped by Ctrl-C, `q` or a signal", ["when", "it says"], rows)
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
