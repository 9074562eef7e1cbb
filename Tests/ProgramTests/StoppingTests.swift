import Foundation
import TestSupport
import Testing

@Suite(.takesTurns) struct StoppingTests {
    private let folder: TemporaryFolder
    private let environment = ["PATH": "/bin:/usr/bin"]
    /// The attempt must not time out before the signal arrives.
    private let patient = ["--timeout", "600"]
    private let bytes = TestBytes.random(count: 2_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The first response stalls halfway. The others are complete.
    private func server() throws -> TestServer {
        try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")]) { request, reply in
            request.visit == 1 ? reply.stalled(after: 1_500_000) : reply
        }
    }

    private func partialBytes() throws -> Int? {
        try folder.names.first { $0.hasPrefix("a.bin") }.map { try folder.bytes($0).count }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func aSignalKeepsThePartialFileAndResumeFetchesOnlyTheRest(signal: Int32, code: Int32) async throws {
        let server = try server()
        let url = server.url("/a.bin").absoluteString
        let run = try SpateRun(patient + ["--json", "-d", "my files", url], in: folder)
        try await run.child.waitForOutput(containing: "\"received\":1")
        run.child.send(signal)
        #expect(try await run.exitCode() == code)
        #expect(run.errorLines.contains { $0.contains("partial files kept: a.bin (") })
        #expect(run.errorLines.contains("spate: to continue: spate resume -d 'my files'"))

        let resumed = try SpateRun(["resume", "-d", "my files"], in: folder)
        #expect(try await resumed.exitCode() == 0)
        #expect(try folder.bytes("my files/a.bin") == bytes)
        let range = try #require(server.requests.last?.range)
        #expect(range.hasPrefix("bytes=1"), "\(range)")
        #expect(server.requests.count == 2)
    }

    @Test func aSignalLosesNoReceivedByte() async throws {
        let server = try server()
        let run = try SpateRun(patient + [server.url("/a.bin").absoluteString], in: folder)
        try await eventually("all bytes that were sent, on disk") {
            try partialBytes() == 1_500_000
        }
        run.child.send(SIGINT)
        #expect(try await run.exitCode() == 130)
        #expect(try partialBytes() == 1_500_000)
        #expect(
            run.errorLines == [
                "spate: stopped; partial files kept: a.bin (1.5 MB of 2 MB).", "spate: to continue: spate resume",
            ]
        )
        #expect(run.child.output == "")
    }

    @Test func quietIsSilentAfterASignal() async throws {
        let server = try server()
        let run = try SpateRun(patient + ["-q", server.url("/a.bin").absoluteString], in: folder)
        try await server.waitForRequests(1)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        #expect(run.child.errors == "")
    }

    @Test func resumeFetchesWhatHadNotStarted() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2], for: $0).heldBack(by: gate) }
        let options = ["-j", "1", "--checksum", "sha256:\(String(repeating: "0", count: 64))"]
        let other = try SpateRun(patient + options + ["\(server.url("/sum"))"], in: folder)
        try await server.waitForRequests(1)
        let urls = (0..<5).map { server.url("/\($0)").absoluteString }
        let run = try SpateRun(patient + ["-j", "1", "-d", "."] + urls, in: folder)
        try await server.waitForRequests(2)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        #expect(run.errorLines.first?.hasSuffix("5 downloads had not started.") == true, "\(run.child.errors)")
        #expect(run.errorLines.last == "spate: to continue: spate resume -d .")
        other.child.send(SIGKILL)
        _ = try await other.child.waitForExit()

        let status = try SpateRun(["status", "--json"], in: folder)
        #expect(try await status.exitCode() == 0)
        let states = try status.events().map { "\($0["state"] ?? "") \(URL(string: "\($0["url"] ?? "")")?.path ?? "")" }
        #expect(Set((1..<5).map { "waiting /\($0)" }).isSubset(of: states), "\(states)")

        gate.open()
        let resumed = try SpateRun(["resume", "--retries", "0"], in: folder)
        // The checksum, which no file has, was kept.
        #expect(try await resumed.exitCode() == 1)
        #expect(resumed.errorLines.count == 1 && resumed.child.errors.contains("/sum"), "\(resumed.child.errors)")
        #expect(try folder.names == (0..<5).map { "\($0)" })
    }

    @Test func aSecondGetLeavesTheQueueOfTheFirstToResume() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2], for: $0).heldBack(by: gate) }
        let first = try SpateRun(patient + ["\(server.url("/a"))", "\(server.url("/b"))"], in: folder)
        try await server.waitForRequests(2)
        gate.open()
        // While the first runs, nobody else does its queue.
        _ = try await first.exitCode()
        #expect(try folder.names == ["a", "b"])
        let late = try TestServer { _ in .silence }
        let killed = try SpateRun(patient + ["-j", "1", "\(server.url("/c"))", "\(late.url("/d"))"], in: folder)
        try await late.waitForRequests(1)
        killed.child.send(SIGKILL)
        _ = try await killed.child.waitForExit()
        let second = try SpateRun(["\(server.url("/e"))"], in: folder)
        #expect(try await second.exitCode() == 0)
        #expect(late.requests.count == 1)
        let resumed = try SpateRun(patient + ["resume"], in: folder)
        try await late.waitForRequests(2)
        let idle = try SpateRun(["resume"], in: folder)
        #expect(try await idle.exitCode() == 0)
        #expect(late.requests.count == 2)
        let refused = try SpateRun(["delete", "\(late.url("/d"))"], in: folder)
        #expect(try await refused.exitCode() == 1)
        resumed.child.send(SIGKILL)
        _ = try await resumed.child.waitForExit()
        let deleted = try SpateRun(["delete", "\(late.url("/d"))"], in: folder)
        #expect(try await deleted.exitCode() == 0, "\(deleted.child.errors)")
        let last = try SpateRun(["resume"], in: folder)
        #expect(try await last.exitCode() == 0)
        #expect(late.requests.count == 2)
        #expect(try folder.names == ["a", "b", "c", "e"])
    }

    @Test func aSecondSignalExitsAtOnce() async throws {
        // Standard error is a full pipe without a reader, so the orderly stop after the first signal never ends.
        let server = try TestServer { _ in .silence }
        let script = """
            mkfifo full; exec 3<>full; head -c 65536 /dev/zero >&3
            exec \(try BuiltProgram.path("spate")) \(server.url("/a").absoluteString) 2>&3
            """
        let child = try ChildProcess("/bin/sh", ["-c", script], environment: environment, folder: folder.path)
        try await server.waitForRequests(1)
        let probe = ProcessProbe(pid: child.pid)
        // Two signals at once may arrive as one.
        try await eventually("the end after some more signals") {
            child.send(SIGINT)
            return (try? probe.residentBytes) == nil
        }
        #expect(try await child.waitForExit() == .status(130))
    }

    @Test func nohupIsRespected() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/a.bin": .init(bytes)]) { $1.gated(after: 1_000_000, gate) }
        let program = try BuiltProgram.path("spate")
        let script = "trap '' HUP; exec \(program) --json \(server.url("/a.bin").absoluteString)"
        let child = try ChildProcess(
            "/bin/sh",
            ["-c", script],
            environment: environment,
            folder: folder.path
        )
        try await child.waitForOutput(containing: "progress")
        child.send(SIGHUP)
        gate.open()
        #expect(try await child.waitForExit() == .status(0))
    }
}
