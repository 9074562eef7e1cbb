import Foundation
import SpateTestSupport
import Testing

@testable import SpateProgram

/// The shells themselves read the scripts, and complete what is typed.
@Suite(.takesTurns) struct CompletionTests {
    private static func isInstalled(_ shell: Shell) -> Bool { InstalledProgram.path(shell.rawValue) != nil }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["disks", "my disks"] {
            try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: false)
        }
        try folder.write("", to: "my urls.txt")
    }

    @Test(.enabled(if: isInstalled(.bash), "bash is not installed")) func bashCompletes() async throws {
        try await complete(
            in: .bash,
            arguments: ["--noprofile", "--rcfile", "start", "-i"],
            start: "PS1='ready> '; EXAMPLE; spate() { printf '%s|' \"$@\"; echo; } >>typed"
        )
    }

    /// As the help says, and as distributions install it.
    @Test(
        .enabled(if: isInstalled(.zsh), "zsh is not installed"),
        arguments: ["compinit -D -u; EXAMPLE", "fpath=($PWD $fpath); compinit -D -u"]
    )
    func zshCompletes(installation: String) async throws {
        try await complete(
            in: .zsh,
            arguments: ["-d", "-i"],
            start: "PS1='ready> '; autoload -U compinit; \(installation)\n"
                + "spate() { printf '%s|' \"$@\"; echo; } >>typed"
        )
    }

    @Test(.enabled(if: isInstalled(.fish), "fish is not installed")) func fishCompletes() async throws {
        try await complete(
            in: .fish,
            arguments: ["--no-config", "-i", "-C", "source start"],
            start: "function fish_prompt; echo 'ready> '; end; EXAMPLE\n"
                + "function spate; begin; printf '%s|' $argv; echo; end >>typed; end"
        )
    }

    /// What is typed, with Tab, and the arguments that follow.
    private static let lines = [
        ("st\t", "status|"),
        ("-d my\t", "-d|my disks/|"),
        ("resume --directory=dis\t", "resume|--directory=disks/|"),
        ("-d disks co\tz\t", "-d|disks|completions|zsh|"),
        ("-i my\\ u\t", "-i|my urls.txt|"),
        ("delete --q\t", "delete|--quiet|"),
        ("delete https://host/a --q\t", "delete|https://host/a|--quiet|"),
        ("help del\t", "help|delete|"),
        ("help exit\t", "help|exit-codes|"),
        ("--max-s\t 1", "--max-size|1|"),
        ("-j a\t", "-j|auto|"),
        ("verify --jobs=au\t", "verify|--jobs=auto|"),
        // Nothing fits.
        ("-j my\t", "-j|my|"),
        ("status --jo\t", "status|--jo|"),
        ("https://host/a st\t", "https://host/a|st|"),
    ]

    /// - Parameter start: what the shell runs first. EXAMPLE is the line from the help.
    private func complete(in shell: Shell, arguments: [String], start: String) async throws {
        let path = try #require(InstalledProgram.path(shell.rawValue))
        let programs = URL(filePath: try BuiltProgram.path("spate")).deletingLastPathComponent().path
        let example = try #require(HelpPage(.command(.completions))?.examples.first { $0.contains(shell.rawValue) })
        let commands = start.replacing("EXAMPLE", with: example) + "\n"
        for (name, text) in ["_spate": shell.completions, "start": commands, ".zshrc": commands] {
            try folder.write(text, to: name)
        }
        let check = try ChildProcess(path, ["-n", "_spate"], folder: folder.path)
        #expect(try await check.waitForExit() == .status(0))
        #expect(check.output + check.errors == "")

        let terminal = try PseudoTerminal(
            path,
            arguments,
            in: folder,
            columns: 200,
            environment: ["HOME": folder.path, "ZDOTDIR": folder.path, "PATH": "\(programs):/usr/bin:/bin"]
        )
        try await terminal.waitForLine("ready>")
        try terminal.type(Self.lines.map { "spate \($0.0)\n" }.joined() + "exit\n")
        _ = try await terminal.exitCode()
        // zsh takes the last slash away.
        let typed = try folder.text("typed").replacing("/|", with: "|")
        #expect(typed.split(separator: "\n").map(String.init) == Self.lines.map { $0.1.replacing("/|", with: "|") })
    }

    @Test(.enabled(if: isInstalled(.bash), "bash is not installed"))
    func commandsComeFirstAndEachOffersItsOptions() async throws {
        let commands = Command.allCases.map(\.rawValue)
        let script = """
            \(Shell.bash.completions)
            complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _spate; echo "${COMPREPLY[@]}"; }
            complete_words spate ''
            for command in \(commands.joined(separator: " ")); do complete_words spate $command -; done
            """
        let child = try ChildProcess("/bin/bash", ["-c", script], folder: folder.path)
        #expect(try await child.waitForExit() == .status(0))
        let offered = [commands] + Command.allCases.map { $0.offeredOptions.map(\.longForm) }
        let lines = child.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.map { $0.split(separator: " ").map(String.init) } == offered)
    }
}
