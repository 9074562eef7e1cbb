import Foundation
import SpateTestSupport
import Testing

/// The built program as a job of a shell.
@Suite(.takesTurns) struct LiveJobTests {
    private let scene: LiveScene

    init() throws { scene = try LiveScene() }

    private func waitForHalf() async throws {
        try await eventually("half of the file") {
            try scene.folder.names.contains("a.bin.part") && scene.folder.bytes("a.bin.part").count >= 1_000_000
        }
    }

    @Test func inTheBackgroundItRunsWithoutDrawingAndReadingKeys() async throws {
        let (terminal, mode) = try await scene.jobs("$GET & read line; echo got $line; read line; wait; echo code $?")
        try await waitForHalf()
        try terminal.type("xq d\n")
        try await terminal.waitForLine("got xq d")
        #expect(terminal.mode == mode)
        scene.gate.open()
        try await terminal.waitForLine("a.bin: 2 MB in ")
        try terminal.type("\n")
        try await terminal.waitForLine("code 0")
        try await scene.expectSuccess(of: terminal, mode)
        let lines = terminal.picture.all.filter { !$0.isEmpty }
        #expect(lines.count == 5, "\(lines)")
        #expect(terminal.picture.colours == [])
    }

    @Test func inTheForegroundItDrawsAndReadsKeysAgain() async throws {
        let (terminal, mode) = try await scene.jobs("$GET & read line; fg")
        try await waitForHalf()
        try terminal.type("\n")
        try await terminal.waitForLine("a.bin", "50%")
        #expect(!terminal.mode.echoes)
        try terminal.type("?")
        try await terminal.waitForLine("pause or resume it")
        try await scene.expectSuccess(of: terminal, mode)
        #expect(terminal.picture.lines.last?.hasPrefix("a.bin: 2 MB in ") == true, "\(terminal.picture.all)")
    }

    @Test func afterCtrlZItCanContinueInTheBackground() async throws {
        let (terminal, mode) = try await scene.jobs(
            "$GET; echo stopped; bg; read line; echo got $line; read line; wait"
        )
        try await terminal.waitForLine("a.bin", "50%")
        try terminal.type("\u{1A}")
        try await terminal.waitForLine("stopped")
        #expect(terminal.picture.showsCursor)
        #expect(!terminal.picture.lines.contains { $0.contains("50%") })
        try terminal.type("one\n")
        try await terminal.waitForLine("got one")
        #expect(terminal.mode == mode)
        scene.gate.open()
        try await terminal.waitForLine("a.bin: 2 MB in ")
        try terminal.type("\n")
        try await scene.expectSuccess(of: terminal, mode)
        #expect(!terminal.picture.all.contains { $0.contains("running") })
    }

    private static func isShown(_ picture: TerminalPicture) -> Bool {
        picture.lines.last == "  ? for keys" && picture.lines.suffix(2).first?.contains("50%") == true
    }

    /// Drawings between the signal and the stop, or between the continuation and its event, would stay.
    @Test func afterCtrlZAndFgNoLineIsLeft() async throws {
        let (terminal, mode) = try await scene.jobs(
            "$GET; n=0; while test $n -lt 12; do n=$((n + 1)); echo stopped $n; fg; done"
        )
        for turn in 1...12 {
            try await terminal.wait(for: "the line of turn \(turn)") { Self.isShown($0) }
            try terminal.type("\u{1A}")
            try await terminal.waitForLine("stopped \(turn)")
        }
        try await terminal.wait(for: "the line at the end") { Self.isShown($0) }
        #expect(terminal.picture.all.count { $0.contains("50%") } == 1, "\(terminal.picture.all)")
        try await scene.expectSuccess(of: terminal, mode)
    }

    @Test func afterSIGSTOPTheTerminalsModeIsRestored() async throws {
        let (terminal, mode) = try await scene.jobs("$GET; stty -icrnl; echo stopped; read line; fg")
        try await terminal.waitForLine("a.bin", "50%")
        terminal.sendToForeground(SIGSTOP)
        try await terminal.waitForLine("stopped")
        try terminal.type("\n")
        try await terminal.wait(for: "the line again") {
            $0.lines.last == "  ? for keys" && $0.lines.count { $0.contains("50%") } == 2
        }
        try await eventually("keys again") { !terminal.mode.echoes }
        try await scene.expectSuccess(of: terminal, mode)
    }
}
