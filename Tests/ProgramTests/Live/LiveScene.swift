import Foundation
import SpateTestSupport
import Testing

/// The built program on a terminal. It fetches files of 2 MB, and each first response stops halfway until the gate opens.
struct LiveScene {
    let folder: TemporaryFolder
    let gate: Gate
    let server: TestServer
    let bytes = TestBytes.random(count: 2_000_000)
    private let urls: [String]

    init(_ names: [String] = ["a.bin"]) throws {
        let (gate, file) = (try Gate(), TestFile(bytes, etag: "\"v\""))
        let server = try TestServer(files: Dictionary(uniqueKeysWithValues: names.map { ("/\($0)", file) })) {
            $0.visit == 1 ? $1.gated(after: 1_000_000, gate) : $1
        }
        (folder, self.gate, self.server) = (try TemporaryFolder(), gate, server)
        urls = names.map { server.url("/\($0)").absoluteString }
    }

    func start(_ options: [String] = [], environment: [String: String] = [:]) throws -> PseudoTerminal {
        let words = ["--timeout", "600"] + options + urls
        return try PseudoTerminal(try BuiltProgram.path("spate"), words, in: folder, environment: environment)
    }

    /// Runs a script, in which `$SPATE` is the program, and `$GET` fetches the files with it.
    func shell(_ script: String) throws -> PseudoTerminal {
        let spate = try BuiltProgram.path("spate")
        let get = "\(spate) --timeout 600 \(urls.joined(separator: " "))"
        return try PseudoTerminal("/bin/sh", ["-c", script], in: folder, environment: ["SPATE": spate, "GET": get])
    }

    /// Runs a script in a shell with job control, whose terminal has `tostop` set: background writes stop a program.
    ///
    /// - Returns: the terminal, and its mode before the script.
    func jobs(_ script: String) async throws -> (PseudoTerminal, PseudoTerminal.Mode) {
        let terminal = try shell("set -m; stty tostop; echo begin; read line; \(script)")
        try await terminal.waitForLine("begin")
        let mode = terminal.mode
        try terminal.type("\n")
        return (terminal, mode)
    }

    /// Waits for the end. The terminal must be as before the program.
    func expectEnd(
        of terminal: PseudoTerminal,
        code: Int32 = 0,
        _ mode: PseudoTerminal.Mode? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let ended = try await terminal.exitCode()
        let picture = terminal.picture
        #expect(ended == code, "\(picture.all)", sourceLocation: sourceLocation)
        #expect(terminal.mode.echoes && mode ?? terminal.mode == terminal.mode, sourceLocation: sourceLocation)
        #expect(picture.showsCursor && !picture.bracketsPaste, sourceLocation: sourceLocation)
        #expect(picture.unknown == [], sourceLocation: sourceLocation)
    }

    /// Opens the gate. Then all must end well, with whole files.
    func expectSuccess(of terminal: PseudoTerminal, _ mode: PseudoTerminal.Mode? = nil) async throws {
        gate.open()
        try await expectEnd(of: terminal, mode)
        for name in try folder.names { #expect(TestBytes.difference(try folder.bytes(name), from: bytes) == nil) }
    }
}
