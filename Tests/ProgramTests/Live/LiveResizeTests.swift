import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// The built program on a terminal that is resized.
@Suite struct LiveResizeTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 2_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts `count` downloads and pauses each at half of the file, so that nothing changes.
    private func start(_ count: Int, columns: Int, rows: Int) async throws -> (TestServer, PseudoTerminal, Gate) {
        let gate = try Gate()
        let names = (0..<count).map { "file-\($0).bin" }
        let files = names.map { ("/\($0)", TestFile(bytes, etag: "\"v\"")) }
        let server = try TestServer(files: Dictionary(uniqueKeysWithValues: files)) { $1.gated(after: 1_000_000, gate) }
        let terminal = try PseudoTerminal(
            try BuiltProgram.path("spate"),
            ["--timeout", "600", "-j", "\(count)"] + names.map { server.url("/\($0)").absoluteString },
            in: folder,
            columns: columns,
            rows: rows
        )
        try await terminal.wait(for: "all at half") { picture in
            picture.lines.count { $0.contains("50%") } == min(count, rows - 3)
        }
        try terminal.type("P")
        try await terminal.wait(for: "all paused") { $0.lines.last?.contains("aused: space") == true }
        return (server, terminal, gate)
    }

    /// Resumes all, and returns the screen after the end.
    private func end(_ terminal: PseudoTerminal, _ gate: Gate, count: Int) async throws -> TerminalPicture {
        gate.open()
        try terminal.type("P")
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.mode.echoes)
        let picture = terminal.picture
        #expect(picture.showsCursor)
        #expect(picture.unknown == [])
        for number in 0..<count {
            let lines = picture.all.count { $0.hasPrefix("file-\(number).bin: 2 MB in ") }
            #expect(lines == 1, "\(picture.all)")
        }
        return picture
    }

    @Test(arguments: [(80, 132), (100, 40)])
    func theSameLinesAreShownAtTheNewWidth(old: Int, new: Int) async throws {
        let (server, terminal, gate) = try await start(3, columns: old, rows: 20)
        terminal.resize(columns: new, rows: 20)
        let nameColumns = new - 1 - ColumnLayout.fitting(new - 1).fixed
        let picture = try await terminal.wait(for: "all lines, as wide as the terminal") { picture in
            picture.lines.count == 5 && picture.lines.last?.contains("aused: space") == true
                && picture.lines.prefix(3).allSatisfy { line in
                    line.hasPrefix("  file") && line.contains("50%") && line.hasSuffix("paused")
                        && line.prefix { $0 != "[" }.count == ColumnLayout.marker + nameColumns + 1
                }
        }
        #expect(picture.history == [])
        let last = try await end(terminal, gate, count: 3)
        #expect(last.all.count == 3, "\(last.all)")
        withExtendedLifetime(server) {}
    }

    @Test func withFewRowsTheOtherDownloadsAreCounted() async throws {
        let (server, terminal, gate) = try await start(7, columns: 80, rows: 20)
        terminal.resize(columns: 80, rows: 5)
        try await terminal.wait(for: "a count of the others") { picture in
            picture.lines.contains("  and 6 more") && picture.lines.dropLast().last?.contains("7 paused") == true
        }
        #expect(terminal.picture.lines.suffix(4).count { $0.contains("50%") } == 1)
        terminal.resize(columns: 80, rows: 20)
        try await terminal.wait(for: "all of them again") { picture in
            picture.lines.suffix(9).count { $0.contains("50%") } == 7
                && picture.lines.dropLast().last?.contains("7 paused") == true
        }
        _ = try await end(terminal, gate, count: 7)
        withExtendedLifetime(server) {}
    }
}
