import Foundation
import TestSupport
import Testing

@Suite(.takesTurns) struct JSONOutputTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 500_000)

    init() throws { folder = try TemporaryFolder() }

    @Test func everyLineIsAnEventAndTheLastOneIsTheEnd() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")])
        let url = server.url("/a.bin", authority: "user:secret@127.0.0.1").absoluteString
        let run = try await folder.spate(["--json", url])
        let events = try run.events()
        #expect(Set(events.map { $0["url"] as? String }) == [server.url("/a.bin").absoluteString])
        #expect(events.allSatisfy { ["state", "progress"].contains($0["event"] as? String) })
        #expect(events.contains { $0["state"] as? String == "running" })
        let last = try #require(events.last)
        #expect(last["state"] as? String == "finished" && last["file"] as? String == folder.path("a.bin"))
        #expect(last["received"] as? Int == 500_000 && last["total"] as? Int == 500_000)
        #expect(!run.child.output.contains("secret"))
        #expect(run.child.errors == "")
    }

    @Test func aFailureIsOnBothStreams() async throws {
        let server = try TestServer(files: [:])
        let run = try await folder.spate(["--json", server.url("/a.bin").absoluteString], code: 1)
        let last = try #require(try run.events().last)
        #expect(last["state"] as? String == "failed" && last["code"] as? String == "httpStatus")
        #expect(last["status"] as? Int == 404 && last["retryable"] as? Bool == false)
        let reason = try #require(last["error"] as? String)
        #expect(run.errorLines == ["spate: \(server.url("/a.bin").absoluteString): \(reason)"])
    }

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
}
