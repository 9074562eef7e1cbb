import Foundation
import TestSupport
import Testing

@Suite(.takesTurns) struct JSONOutputTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 500_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func everyLineIsAnEventAndTheLastOneIsTheEnd() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")])
        let url = server.url("/a.bin").absoluteString
        let run = try SpateRun(
            ["--json", server.url("/a.bin", authority: "user:secret@127.0.0.1").absoluteString],
            in: folder
        )
        #expect(try await run.exitCode() == 0)
        let events = try run.events()
        for event in events {
            #expect(
                Set(event.keys) == [
                    "event", "url", "state", "received", "total", "file", "error", "connections", "time", "code",
                    "status", "retryable", "update", "waits",
                ]
            )
            #expect(["state", "progress"].contains(event["event"] as? String))
            #expect(event["url"] as? String == url)
        }
        #expect(events.contains { $0["state"] as? String == "running" })
        let last = try #require(events.last)
        #expect(last["state"] as? String == "finished")
        #expect(last["received"] as? Int == 500_000)
        #expect(last["total"] as? Int == 500_000)
        #expect(last["file"] as? String == folder.path("a.bin"))
        #expect(!run.child.output.contains("secret"))
        #expect(run.child.errors == "")
    }

    @Test func aFailureIsOnBothStreams() async throws {
        let server = try TestServer(files: [:])
        let run = try SpateRun(["--json", server.url("/a.bin").absoluteString], in: folder)
        #expect(try await run.exitCode() == 1)
        let last = try #require(try run.events().last)
        #expect(last["state"] as? String == "failed")
        #expect(last["code"] as? String == "httpStatus")
        #expect(last["status"] as? Int == 404)
        #expect(last["retryable"] as? Bool == false)
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
        #expect(try await SpateRun(["-q", "--retries", "0", url], in: folder).exitCode() == 1)
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

    @Test func aPipeGetsEachLineAtOnce() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/a.bin": .init(bytes)]) { $1.gated(after: 300_000, gate) }
        let run = try SpateRun(["--json", server.url("/a.bin").absoluteString], in: folder)
        try await run.child.waitForOutput(containing: "\"event\":\"progress\"")
        gate.open()
        #expect(try await run.exitCode() == 0)
    }

    @Test func theRunStopsWhenTheReaderClosesThePipe() async throws {
        let server = try TestServer(files: ["/a.bin": .init(bytes)]) { $1.throttled(bytesPerSecond: 50_000) }
        let program = try BuiltProgram.path("spate")
        let script = "set -o pipefail; \(program) --json \(server.url("/a.bin").absoluteString) | head -n 1; exit $?"
        let child = try ChildProcess(
            "/bin/bash",
            ["-c", script],
            environment: ["PATH": "/bin:/usr/bin"],
            folder: folder.path
        )
        #expect(try await child.waitForExit() == .status(141))
        #expect(child.errors == "")
        #expect(child.output.split(separator: "\n").count == 1)
    }
}
