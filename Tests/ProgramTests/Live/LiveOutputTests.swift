import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// On which terminals and with which colours the built program draws.
@Suite(.mostlyWaits) struct LiveOutputTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 2_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server(_ gate: Gate) throws -> TestServer {
        try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v\"")]) { $1.gated(after: 1_000_000, gate) }
    }

    private func start(
        _ url: URL,
        _ options: [String] = [],
        environment: [String: String] = [:]
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            try BuiltProgram.path("spate"),
            ["--timeout", "600"] + options + [url.absoluteString],
            in: folder,
            environment: environment
        )
    }

    @Test(arguments: [("", true), ("1", false), ("0", false)])
    func coloursFollowTheEnvironment(variable: String, isColoured: Bool) async throws {
        let gate = try Gate()
        let server = try server(gate)
        let terminal = try start(server.url("/a.bin"), environment: ["NO_COLOR": variable])
        try await terminal.waitForLine("a.bin", "[####", "50%")
        #expect(terminal.picture.colours.isSuperset(of: ["32"]) == isColoured)
        gate.open()
        #expect(try await terminal.exitCode() == 0)
        // The reset at the end is always sent.
        if !isColoured { #expect(terminal.picture.colours == ["0"]) }
    }

    @Test(arguments: ["2>errors", "2>&1 | cat >errors", "-q"])
    func nothingIsDrawnIfStandardErrorIsNotATerminal(redirection: String) async throws {
        let gate = try Gate()
        gate.open()
        let server = try server(gate)
        let program = "\(try BuiltProgram.path("spate")) \(server.url("/a.bin")) \(server.url("/none"))"
        let terminal = try PseudoTerminal(
            "/bin/sh",
            ["-c", "touch errors; \(program) \(redirection); echo end"],
            in: folder
        )
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.colours == [])
        let written =
            String(decoding: try folder.bytes("errors"), as: UTF8.self) + terminal.picture.all.joined(separator: "\n")
        #expect(!written.contains("\u{1B}"))
        #expect(!written.contains("a.bin"))
        #expect(written.contains("spate: \(server.url("/none")): "))
        #expect(terminal.mode.echoes)
    }

    /// In a session of its own the program has no controlling terminal.
    @Test func withoutATerminalOfItsOwnItDrawsButReadsNoKeys() async throws {
        let gate = try Gate()
        let server = try server(gate)
        let program = "\(try BuiltProgram.path("spate")) --timeout 600 \(server.url("/a.bin"))"
        let terminal = try PseudoTerminal("/bin/sh", ["-c", "setsid -w \(program) </dev/null >/dev/null"], in: folder)
        let mode = terminal.mode
        try await terminal.waitForLine("a.bin", "50%")
        #expect(terminal.mode == mode)
        #expect(terminal.picture.lines.last?.contains("keys") == false)
        gate.open()
        #expect(try await terminal.exitCode() == 0)
    }

    @Test func aDumbTerminalGetsPlainLines() async throws {
        let gate = try Gate()
        gate.open()
        let server = try server(gate)
        let terminal = try start(server.url("/a.bin"), environment: ["TERM": "dumb"])
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.colours == [])
        #expect(terminal.picture.lines.last?.hasPrefix("a.bin: 2 MB in ") == true)
    }

    @Test func aServerCrashIsReportedAndTheTerminalIsRestored() async throws {
        let server = try ChildProcess(BuiltProgram.path("spate"), ["demo", "--serve"])
        try await server.waitForOutput(containing: "refused.txt")
        let line = try #require(server.output.split(separator: "\n").first { $0.contains("paused-halfway.mp4") })
        let url = try #require(line.split(separator: " ").first.flatMap { URL(string: String($0)) })
        // The first may come while the kernel still takes connections for the server.
        let terminal = try start(url, ["--retries", "2"])
        try await terminal.waitForLine("paused-halfway.mp4", "4.2 MB/8.4 MB")
        #expect(!terminal.mode.echoes)
        server.send(SIGKILL)
        #expect(try await terminal.exitCode() == 1)
        #expect(terminal.mode.echoes)
        #expect(terminal.picture.showsCursor)
        let lines = terminal.picture.all
        #expect(lines.first == "paused-halfway.mp4: connection failed; trying again", "\(lines)")
        #expect(lines.contains { $0.hasPrefix("spate: \(url.absoluteString): Cannot connect") }, "\(lines)")
        #expect(!lines.contains { $0.contains("4.2 MB/8.4 MB") })
        #expect(terminal.picture.unknown == [])
    }
}
