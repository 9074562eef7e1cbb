import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// Where the built program draws, with what, and how it ends when the server does.
@Suite struct LiveOutputTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 2_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server(_ gate: Gate, _ path: String = "/a.bin") throws -> TestServer {
        try TestServer(files: [path: .init(bytes, etag: "\"v\"")]) { $1.gated(after: 1_000_000, gate) }
    }

    private func start(
        _ url: URL,
        _ options: [String] = [],
        columns: Int = 80,
        environment: [String: String] = [:]
    ) throws -> PseudoTerminal {
        try PseudoTerminal(
            try BuiltProgram.path("spate"),
            ["--timeout", "600"] + options + [url.absoluteString],
            in: folder,
            columns: columns,
            environment: environment
        )
    }

    @Test(arguments: [("", true), ("1", false), ("0", false)])
    func noColourIsShownWhereNoneIsWanted(variable: String, isColoured: Bool) async throws {
        let gate = try Gate()
        let server = try server(gate)
        let terminal = try start(server.url("/a.bin"), environment: ["NO_COLOR": variable])
        try await terminal.waitForLine("a.bin", "[####", "50%")
        #expect(terminal.picture.colours.isSuperset(of: ["32"]) == isColoured)
        gate.open()
        #expect(try await terminal.exitCode() == 0)
        // The end of all colours is told in any case.
        if !isColoured { #expect(terminal.picture.colours == ["0"]) }
    }

    @Test(arguments: ["2>told", "2>&1 | cat >told", "-q"])
    func nothingIsDrawnWhereStandardErrorIsNoTerminal(redirection: String) async throws {
        let gate = try Gate()
        gate.open()
        let server = try server(gate)
        let program = "\(try BuiltProgram.path("spate")) \(server.url("/a.bin")) \(server.url("/none"))"
        let terminal = try PseudoTerminal(
            "/bin/sh",
            ["-c", "touch told; \(program) \(redirection); echo end"],
            in: folder
        )
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.colours == [])
        let told =
            String(decoding: try folder.bytes("told"), as: UTF8.self) + terminal.picture.all.joined(separator: "\n")
        #expect(!told.contains("\u{1B}"))
        #expect(!told.contains("a.bin"))
        #expect(told.contains("spate: \(server.url("/none")): "))
        #expect(terminal.mode.echoes)
    }

    @Test func withoutATerminalForKeysItDrawsAndLeavesTheModeAlone() async throws {
        let gate = try Gate()
        let server = try server(gate)
        let program = "\(try BuiltProgram.path("spate")) --timeout 600 \(server.url("/a.bin"))"
        let terminal = try PseudoTerminal("/bin/sh", ["-c", "\(program) </dev/null >/dev/null"], in: folder)
        let mode = terminal.mode
        try await terminal.waitForLine("a.bin", "50%")
        #expect(terminal.mode == mode)
        #expect(terminal.picture.lines.last?.contains("keys") == false)
        gate.open()
        #expect(try await terminal.exitCode() == 0)
    }

    @Test func aTerminalThatKnowsNoMoreThanLinesGetsLines() async throws {
        let gate = try Gate()
        gate.open()
        let server = try server(gate)
        let terminal = try start(server.url("/a.bin"), environment: ["TERM": "dumb"])
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.colours == [])
        #expect(terminal.picture.all.count == 1)
        #expect(terminal.picture.lines.first?.hasPrefix("a.bin: 2 MB in ") == true)
    }

    @Test(
        arguments: [
            "漢字ファイル名の長い名前.zip", "e\u{301}te\u{301}-Cafe\u{301}.bin", "👨‍👩‍👧🇩🇪.tar", "\u{301}.bin", "مرحبا-بالعالم.txt",
        ],
        [40, 80]
    )
    func wideAndCombiningNamesFit(name: String, columns: Int) async throws {
        let gate = try Gate()
        let path = try #require("/\(name)".addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
        let server = try server(gate, path)
        let terminal = try start(server.url(path), columns: columns)
        try await terminal.wait(for: "half") { $0.lines.first?.contains("50%") == true && $0.lines.count == 2 }
        let shown = try #require(terminal.picture.lines.first)
        let layout = LineLayout.fitting(columns - 1)
        let before = shown.prefix { $0 != "[" }.unicodeScalars.reduce(0) { $0 + ScalarWidth.columns(of: $1) }
        #expect(before == columns - 1 - layout.fixed + LineLayout.marker + 1, "\(shown)")
        // Once the file is there, its line is a plain one and may be as long as it likes.
        #expect(terminal.picture.wrapCount == 0)
        gate.open()
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.unknown == [])
    }

    @Test func theCrashOfTheServerIsToldAndLeavesTheTerminalAsItWas() async throws {
        let server = try ChildProcess(BuiltProgram.path("spate"), ["demo", "--serve"])
        try await server.waitForOutput(containing: "refused.txt")
        let line = try #require(server.output.split(separator: "\n").first { $0.contains("paused-halfway.mp4") })
        let url = try #require(line.split(separator: " ").first.flatMap { URL(string: String($0)) })
        let terminal = try start(url, ["--retries", "1"])
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
