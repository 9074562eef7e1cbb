import Foundation
import SpateTestSupport
import Testing

/// On which terminals and with which colours the built program draws.
@Suite(.mostlyWaits) struct LiveOutputTests {
    private let scene: LiveScene

    init() throws { scene = try LiveScene() }

    @Test(arguments: [("", true), ("1", false), ("0", false)])
    func coloursFollowTheEnvironment(variable: String, isColoured: Bool) async throws {
        let terminal = try scene.start(environment: ["NO_COLOR": variable])
        try await terminal.waitForLine("a.bin", "[####", "50%")
        #expect(terminal.picture.colours.isSuperset(of: ["32"]) == isColoured)
        try await scene.expectSuccess(of: terminal)
        // The reset at the end is always sent.
        if !isColoured { #expect(terminal.picture.colours == ["0"]) }
    }

    @Test(arguments: [("C.UTF-8", "xterm", true), ("de_DE.utf8", "xterm", true), ("C.UTF-8", "linux", false)])
    func blocksAreDrawnWhereTheLocaleHasThem(locale: String, kind: String, hasBlocks: Bool) async throws {
        let terminal = try scene.start(environment: ["LC_ALL": locale, "TERM": kind])
        try await terminal.waitForLine("a.bin", hasBlocks ? "███" : "[###", "50%")
        try await scene.expectSuccess(of: terminal)
    }

    @Test(arguments: ["2>errors", "2>&1 | cat >errors", "-q"])
    func nothingIsDrawnIfStandardErrorIsNotATerminal(redirection: String) async throws {
        scene.gate.open()
        let none = "\(scene.server.url("/none"))"
        let terminal = try scene.shell("touch errors; $GET \(none) \(redirection); echo end")
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.colours == [] && terminal.mode.echoes)
        let written = try scene.folder.text("errors") + terminal.picture.all.joined(separator: "\n")
        #expect(!written.contains("\u{1B}") && !written.contains("a.bin"))
        #expect(written.contains("spate: \(none): "))
    }

    @Test func whatAProgramOfTheUserSaysScrollsUpWithoutControlCharacters() async throws {
        try scene.folder.script("sign", #"cat > /dev/null; printf 'one\033[31m two\n' >&2; echo '{}'"#)
        let terminal = try scene.start(["--refresh-command", "./sign"])
        try await terminal.waitForLine("a.bin", "[####", "50%")
        #expect(terminal.picture.all.contains { $0.hasPrefix("spate: ./sign: one [31m two") })
        #expect(!terminal.picture.colours.contains("31"))
        scene.gate.open()
        try await scene.expectEnd(of: terminal)
        #expect(terminal.picture.all.count { $0.contains("sign") } == 1)
    }

    @Test(arguments: [(100, false, 100), (101, false, 0), (101, true, 101)])
    func aboveAHundredFinishedFilesAreCounted(count: Int, isVerbose: Bool, listed: Int) async throws {
        let server = try TestServer { .file(Array("abc".utf8), for: $0) }
        let folder = try TemporaryFolder()
        let words = ["-j", "8", "-d", "files"] + (isVerbose ? ["-v"] : [])
        let urls = (0..<count).map { server.url("/\($0).bin").absoluteString }
        let terminal = try PseudoTerminal(try BuiltProgram.path("spate"), words + urls, in: folder, rows: 40)
        #expect(try await terminal.exitCode() == 0)
        let lines = terminal.picture.all
        #expect(lines.count { $0.contains(".bin: 3 B in ") } == listed, "\(lines)")
        #expect(lines.last { !$0.isEmpty }?.hasPrefix("\(count) files, ") == true, "\(lines)")
    }

    /// In a session of its own the program has no controlling terminal.
    @Test(arguments: [true, false]) func withoutATerminalOfItsOwnOrWithNoKeysItOnlyDraws(hasTerminal: Bool) async throws
    {
        let script = hasTerminal ? "read line; $GET --no-keys" : "read line; setsid -w $GET </dev/null >/dev/null"
        let terminal = try scene.shell(script)
        let mode = terminal.mode
        try terminal.type("\n")
        try await terminal.waitForLine("a.bin", "50%")
        #expect(terminal.mode == mode)
        #expect(terminal.picture.lines.last?.contains("keys") == false)
        try await scene.expectSuccess(of: terminal, mode)
    }

    @Test func aDumbTerminalGetsPlainLines() async throws {
        let terminal = try scene.start(environment: ["TERM": "dumb"])
        try await scene.expectSuccess(of: terminal)
        #expect(terminal.picture.colours == [])
        #expect(terminal.picture.lines.last?.hasPrefix("a.bin: 2 MB in ") == true)
    }

    @Test func aServerCrashIsReportedAndTheTerminalIsRestored() async throws {
        let server = try ChildProcess(BuiltProgram.path("spate"), ["demo", "--serve"])
        try await server.waitForOutput(containing: "refused.txt")
        let line = try #require(server.output.split(separator: "\n").first { $0.contains("paused-halfway.mp4") })
        let url = try #require(line.split(separator: " ").first)
        // The first retry may come while the kernel still takes connections for the server.
        let terminal = try scene.shell("exec $SPATE --timeout 600 --retries 2 \(url)")
        try await terminal.waitForLine("paused-halfway.mp4", "4.2/8.4 MB")
        #expect(!terminal.mode.echoes)
        server.send(SIGKILL)
        try await scene.expectEnd(of: terminal, code: 1)
        let lines = terminal.picture.all
        #expect(lines.first?.hasPrefix("paused-halfway.mp4: the connection broke; try 2 of 3 ") == true, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("spate: \(url): Connection refused.") }, "\(lines)")
        #expect(!lines.contains { $0.contains("4.2/8.4 MB") })
    }
}
