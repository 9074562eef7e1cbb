import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// Runs the examples of the help pages in a shell, with another host.
@Suite(.takesTurns) struct HelpExampleTests {
    struct Example: CustomTestStringConvertible {
        let topic: HelpTopic?
        let line: String

        var testDescription: String { line }
    }

    /// Without the demo, which has its own server and tests.
    private static let topics: [HelpTopic?] =
        [nil, .options] + [Command.get, .status, .resume, .delete].map(HelpTopic.command)
    private static let examples = topics.flatMap { topic in
        let lines = Usage.help(about: topic).split(separator: "\n").map(String.init)
        let start = lines.firstIndex { $0.hasPrefix("Example") } ?? lines.endIndex
        return lines[start...].dropFirst().map { Example(topic: topic, line: $0) }
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
        let files = [
            "urls.txt": list, "headers.txt": "X-One: 1\n", ".netrc": "default login me password secret\n",
            "cookies.txt": "127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n",
        ]
        for (name, text) in files { try folder.write(text, to: name) }
    }

    @Test func everyPageHasExamples() {
        #expect(Self.topics.allSatisfy { topic in Self.examples.contains { $0.topic == topic } })
        #expect(Self.examples.allSatisfy { $0.line.contains("spate") })
    }

    @Test(arguments: examples) func theExampleWorks(example: Example) async throws {
        let isFetching = [nil, .options, .command(.get)].contains(example.topic)
        if !isFetching { try await fill() }
        let asked = server.requests.count
        let run = try await shell(example.line)
        #expect(run.errors == "" || example.line.contains("--progress plain"))
        #expect(server.requests.count > asked || [.command(.status), .command(.delete)].contains(example.topic))
        // Fetched files are complete, and deleted files are gone.
        let found = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        switch example.topic {
        case .command(.status): #expect(run.output.contains("partial"))
        case .command(.resume): #expect(found.filter { $0.hasSuffix(".part") }.count == 1)
        case .command(.delete): #expect(found.filter { $0.hasSuffix("a.iso") }.count == 1)
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
            environment: ["PATH": "\(programs):/bin:/usr/bin", "HOME": folder.path],
            folder: folder.path
        )
        #expect(try await child.waitForExit() == .status(code), "\(line): \(child.errors)")
        return child
    }
}
