import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// The built program as a job of a shell. The terminal has `tostop` set: background writes stop a program.
@Suite(.takesTurns) struct LiveJobTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 2_000_000)
    private let gate: Gate
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        let gate = try Gate()
        self.gate = gate
        server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v\"")]) { $1.gated(after: 1_000_000, gate) }
    }

    /// Runs a script in a shell with job control. `$SPATE` fetches a file that stops at half.
    ///
    /// - Returns: the terminal, and its mode before the script.
    private func shell(_ script: String) async throws -> (PseudoTerminal, PseudoTerminal.Mode) {
        let program = "\(try BuiltProgram.path("spate")) --timeout 600 \(server.url("/a.bin").absoluteString)"
        let terminal = try PseudoTerminal(
            "/bin/sh",
            ["-c", "set -m; stty tostop; echo begin; read line; \(script)"],
            in: folder,
            environment: ["SPATE": program]
        )
        try await terminal.waitForLine("begin")
        let mode = terminal.mode
        try terminal.type("\n")
        return (terminal, mode)
    }

    private func expectOrderlyEnd(of terminal: PseudoTerminal, _ mode: PseudoTerminal.Mode) async throws {
        #expect(try await terminal.exitCode() == 0, "\(terminal.picture.all)")
        #expect(terminal.mode == mode)
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.bracketsPaste)
        #expect(terminal.picture.unknown == [])
        #expect(TestBytes.difference(try folder.bytes("a.bin"), from: bytes) == nil)
    }

    private var half: Bool {
        var status = stat()
        return stat(folder.path("a.bin.part"), &status) == 0 && status.st_size >= 1_000_000
    }

    @Test func inTheBackgroundItRunsWithoutDrawingAndReadingKeys() async throws {
        let (terminal, mode) = try await shell("$SPATE & read line; echo got $line; read line; wait; echo code $?")
        try await eventually("half of the file") { half }
        try terminal.type("xq d\n")
        try await terminal.waitForLine("got xq d")
        #expect(terminal.mode == mode)
        gate.open()
        try await terminal.waitForLine("a.bin: 2 MB in ")
        try terminal.type("\n")
        try await terminal.waitForLine("code 0")
        try await expectOrderlyEnd(of: terminal, mode)
        let lines = terminal.picture.all.filter { !$0.isEmpty }
        #expect(lines.count == 5, "\(lines)")
        #expect(terminal.picture.colours == [])
    }

    @Test func inTheForegroundItDrawsAndReadsKeysAgain() async throws {
        let (terminal, mode) = try await shell("$SPATE & read line; fg")
        try await eventually("half of the file") { half }
        try terminal.type("\n")
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        try terminal.type("?")
        try await terminal.waitForLine("pause or resume it")
        gate.open()
        try await expectOrderlyEnd(of: terminal, mode)
        #expect(terminal.picture.lines.last?.hasPrefix("a.bin: 2 MB in ") == true, "\(terminal.picture.all)")
    }

    @Test func afterCtrlZItCanContinueInTheBackground() async throws {
        let (terminal, mode) = try await shell("$SPATE; echo stopped; bg; read line; echo got $line; read line; wait")
        try await terminal.waitForLine("a.bin", "50%")
        try terminal.type("\u{1A}")
        try await terminal.waitForLine("stopped")
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.lines.contains { $0.contains("50%") })
        try terminal.type("one\n")
        try await terminal.waitForLine("got one")
        #expect(terminal.mode == mode)
        gate.open()
        try await terminal.waitForLine("a.bin: 2 MB in ")
        try terminal.type("\n")
        try await expectOrderlyEnd(of: terminal, mode)
        #expect(!terminal.picture.all.contains { $0.contains("running") })
    }

    @Test func afterSIGSTOPTheTerminalsModeIsRestored() async throws {
        let (terminal, mode) = try await shell("$SPATE; stty -icrnl; echo stopped; read line; fg")
        try await terminal.waitForLine("a.bin", "50%")
        terminal.sendToForeground(SIGSTOP)
        try await terminal.waitForLine("stopped")
        try terminal.type("\n")
        try await terminal.wait(for: "the line again") { $0.lines.last?.hasPrefix("0 done, 1 running") == true }
        try await eventually("keys again") { !terminal.mode.echoes }
        gate.open()
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.mode.echoes)
        #expect(terminal.mode == mode)
        #expect(terminal.picture.showsCursor)
    }
}
