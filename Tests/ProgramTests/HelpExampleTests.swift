import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// Runs the examples of the help pages in a shell, with another host.
@Suite struct HelpExampleTests {
    struct Example: CustomTestStringConvertible {
        let command: Command?
        let line: String

        var testDescription: String { line }
    }

    /// Without the demo, which has its own server and tests.
    private static let examples = ([nil, .get, .status, .resume, .delete] as [Command?]).flatMap { command in
        let lines = Usage.help(about: command).split(separator: "\n").map(String.init)
        let start = lines.firstIndex { $0.hasPrefix("Example") } ?? lines.endIndex
        return lines[start...].dropFirst().map { Example(command: command, line: $0) }
    }

    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        let file = TestFile(TestBytes.random(count: 50_000), etag: "\"1\"")
        let names = ["/a.iso", "/b.iso", "/part.iso", "/index.html"]
        server = try TestServer(files: Dictionary(uniqueKeysWithValues: names.map { ($0, file) })) { request, reply in
            request.path == "/part.iso" && request.range == nil ? reply.cut(after: 20_000) : reply
        }
        let list = "# two\n\(server.url("/a.iso"))\n\(server.url("/b.iso"))\n"
        try Data(list.utf8).write(to: folder.url("urls.txt"))
    }

    @Test func everyPageHasExamples() {
        #expect(Set(Self.examples.map(\.command)).count == 5)
        #expect(Self.examples.allSatisfy { $0.line.contains("spate") })
    }

    @Test(arguments: examples) func theExampleWorks(example: Example) async throws {
        if ![nil, .get].contains(example.command) { try await fill() }
        let asked = server.requests.count
        let run = try await shell(example.line)
        #expect(run.errors == "")
        #expect(server.requests.count > asked || [.status, .delete].contains(example.command))
        // Fetched files are complete, and deleted files are gone.
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        switch example.command {
        case .status: #expect(run.output.contains("partial"))
        case .resume: #expect(found.filter { $0.hasSuffix(".part") }.count == 1)
        case .delete: #expect(found.filter { $0.hasSuffix("a.iso") }.count == 1)
        default: #expect(found.contains { $0.hasSuffix(".iso") || $0.hasSuffix(".html") })
        }
    }

    /// Leaves two finished files and a partial file, here and in a subfolder.
    private func fill() async throws {
        for directory in [".", "disks"] {
            _ = try await shell("spate -q -d \(directory) -i urls.txt")
            _ = try await shell("spate -q -d \(directory) --retries 0 https://example.com/part.iso", code: 1)
        }
    }

    private func shell(_ line: String, code: Int32 = 0) async throws -> ChildProcess {
        let programs = URL(filePath: try BuiltProgram.path("spate")).deletingLastPathComponent().path
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", line.replacing("https://example.com", with: "http://127.0.0.1:\(server.port)")],
            environment: ["PATH": "\(programs):/bin:/usr/bin"],
            folder: folder.path
        )
        #expect(try await child.waitForExit() == .status(code), "\(line): \(child.errors)")
        return child
    }
}
