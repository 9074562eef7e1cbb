import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// The built program on a terminal that is resized.
@Suite(.takesTurns) struct LiveResizeTests {
    @Test func theLinesFollowTheSizeOfTheTerminal() async throws {
        let folder = try TemporaryFolder()
        let gate = try Gate()
        let bytes = TestBytes.random(count: 2_000_000)
        let paths = (0..<7).map { "/file-\($0).bin" }
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, TestFile(bytes, etag: "\"v\"")) })
        let server = try TestServer(files: files) { $1.gated(after: 1_000_000, gate) }
        let terminal = try PseudoTerminal(
            try BuiltProgram.path("spate"),
            ["--timeout", "600", "-j", "7"] + paths.map { server.url($0).absoluteString },
            in: folder
        )
        try await terminal.wait(for: "all at half") { $0.lines.count { $0.contains("50%") } == 7 }
        // Paused, so that nothing else changes the lines.
        try terminal.type("P")
        try await terminal.waitForLine("aused: space")

        terminal.resize(columns: 132, rows: 24)
        try await terminal.wait(for: "wide lines") { picture in
            picture.lines.count == 9 && picture.lines.prefix(7).allSatisfy { $0.hasSuffix("paused") && $0.count == 131 }
        }
        terminal.resize(columns: 40, rows: 5)
        try await terminal.wait(for: "a count of the others") { picture in
            let lines = picture.lines.suffix(4)
            return lines.first?.hasSuffix("paused") == true && lines.dropFirst().first == "  and 6 more"
                && lines.allSatisfy { $0.count < 40 }
        }
        terminal.resize(columns: 80, rows: 24)
        try await terminal.wait(for: "all lines again") { picture in
            picture.lines.suffix(9).count { $0.contains("50%") } == 7
        }

        gate.open()
        try terminal.type("P")
        #expect(try await terminal.exitCode() == 0)
        #expect(terminal.picture.unknown == [])
        for path in paths {
            let lines = terminal.picture.all.count { $0.hasPrefix("\(path.dropFirst()): 2 MB in ") }
            #expect(lines == 1, "\(terminal.picture.all)")
        }
    }
}
