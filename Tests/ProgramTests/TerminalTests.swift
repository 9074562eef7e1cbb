import Foundation
import TestSupport
import Testing

/// What a person sees, who looks at a terminal: `script` makes one, and writes what it is sent to standard output.
@Suite(.enabled(if: access("/usr/bin/script", X_OK) == 0, "script, of util-linux, is not installed"))
struct TerminalTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 300_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func lines(of arguments: String) async throws -> [String] {
        let command = "\(try BuiltProgram.path("spate")) \(arguments)"
        let child = try ChildProcess(
            "/usr/bin/script",
            ["-qec", command, "/dev/null"],
            environment: ["PATH": "/bin:/usr/bin", "SHELL": "/bin/sh"],
            folder: folder.path
        )
        try await child.waitForExit()
        return child.output.split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test func eachFinishedFileHasALineWithSizeAndTime() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)])
        let first = try await lines(of: server.url("/a.bin").absoluteString)
        #expect(first.count == 1)
        #expect(try first.first?.wholeMatch(of: Regex("a.bin: 300 kB in [0-9.]+ s")) != nil, "\(first)")
        #expect(try await lines(of: server.url("/a.bin").absoluteString) == ["a.bin: 300 kB, already here"])
    }

    @Test func aWaitForARetryIsToldWithItsReason() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)]) { request, reply in
            request.visit == 1 ? .status(503) : reply
        }
        let lines = try await lines(of: server.url("/a.bin").absoluteString)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("a.bin: again in ") == true)
        #expect(lines.first?.contains("503") == true)
    }

    @Test func quietSaysNothing() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)])
        #expect(try await lines(of: "-q \(server.url("/a.bin"))").isEmpty)
    }
}
