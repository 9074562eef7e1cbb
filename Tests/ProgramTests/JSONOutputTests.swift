import Foundation
import SpateTestSupport
import Testing

/// `--json` and `--log`. `JSONLinesTests` has what a line says.
@Suite(.takesTurns) struct JSONOutputTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 500_000)

    init() throws { folder = try TemporaryFolder() }

    @Test func theFirstLineKnowsWhatIsOnDisk() async throws {
        let gate = try Gate()
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.cut(after: 300_000) : reply.gated(after: 0, gate)
        }
        let url = server.url("/a.bin").absoluteString
        try await folder.spate(["-q", "--retries", "0", url], code: 1)
        let run = try SpateRun(["--json", url], in: folder)
        try await gate.reached()
        // A line says how far the download is when it is written.
        try await run.child.waitForOutput(containing: "\n")
        gate.open()
        #expect(try await run.exitCode() == 0)
        let first = try #require(try run.events().first)
        #expect(first["state"] as? String == "waiting")
        #expect(first["received"] as? Int == 300_000 && first["total"] as? Int == 500_000, "\(run.child.output)")
    }

    @Test func theRunStopsWhenTheReaderClosesThePipe() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)]) { $1.throttled(bytesPerSecond: 50_000) }
        let program = try BuiltProgram.path("spate")
        let script = "set -o pipefail; \(program) --json \(server.url("/a.bin").absoluteString) | head -n 1; exit $?"
        let path = ["PATH": "/bin:/usr/bin"]
        let child = try ChildProcess("/bin/bash", ["-c", script], environment: path, folder: folder.path)
        #expect(try await child.waitForExit() == .status(141))
        #expect(child.errors == "")
        #expect(child.output.split(separator: "\n").count == 1)
    }

    /// The exit code of a closed pipe would say that somebody has read enough.
    @Test func aFullDiskIsTold() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)])
        let url = server.url("/a.bin").absoluteString
        try await folder.spate([url])
        let notice = "spate: can't write to standard output: No space left on device."
        let commands = [
            "--json --update \(url)", "-q --json \(url)", "status", "status --json", "verify", "verify --online --json",
            "help", "--version", "completions bash",
        ]
        for command in commands {
            let script = "exec \(try BuiltProgram.path("spate")) \(command) >/dev/full"
            let child = try ChildProcess("/bin/sh", ["-c", script], environment: ["PATH": "/bin"], folder: folder.path)
            #expect(try await child.waitForExit() == .status(1), "\(command)")
            #expect(child.errors.split(separator: "\n").first == notice[...], "\(command): \(child.errors)")
        }
    }

    /// Nothing follows the last event that could still notice it.
    @Test func anUnwrittenLastLineIsTold() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)])
        let url = server.url("/a.bin").absoluteString
        try await folder.spate([url])
        // The disk takes all lines but the last.
        let lines = try await folder.spate(["--json", url]).child.output.split(separator: "\n")
        try #require(lines.count > 1)
        let padding = 4096 - lines.dropLast().reduce(0) { $0 + $1.utf8.count + 1 }
        let program = try BuiltProgram.path("spate")
        let script =
            "head -c \(padding) /dev/zero >out; trap '' XFSZ; ulimit -f 8; exec \(program) --json \(url) >>out"
        let child = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await child.waitForExit() == .status(1))
        #expect(child.errors.hasPrefix("spate: can't write to standard output: File too large."))
    }

    @Test func theLogHasEveryEventAndIsContinued() async throws {
        let server = try TestServer(files: ["/a": TestFile("a"), "/b": TestFile("b")])
        let urls = ["/a", "/b"].map { server.url($0).absoluteString }
        let times = /"time":"[^"]*"/
        var written = ""
        for url in urls {
            written += try await folder.spate(["--log", "events.log", "--json", url]).child.output
            #expect(try folder.text("events.log").replacing(times, with: "") == written.replacing(times, with: ""))
        }
        #expect(urls.allSatisfy { written.contains($0) })
        // The disk is full.
        let full = try await folder.spate(["--log", "/dev/full"] + urls)
        #expect(
            full.errorLines == ["spate: can't write --log /dev/full: No space left on device. The rest is not logged."]
        )
    }
}
