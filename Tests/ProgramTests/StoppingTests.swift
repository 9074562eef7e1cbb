import Foundation
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct StoppingTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    /// The attempt must not time out before the signal arrives.
    private let patient = ["--timeout", "600"]
    private let bytes = TestBytes.random(count: 2_000_000)

    /// The first response stalls halfway. The others are complete.
    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer(files: ["/a.bin": .init(bytes, etag: "\"v1\"")]) { request, reply in
            request.visit == 1 ? reply.stalled(after: 1_500_000) : reply
        }
    }

    private var url: String { server.url("/a.bin").absoluteString }

    private func shell(_ script: String) throws -> ChildProcess {
        let environment = ["PATH": "/bin:/usr/bin", "SPATE": try BuiltProgram.path("spate")]
        return try ChildProcess("/bin/sh", ["-c", script], environment: environment, folder: folder.path)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func aSignalKeepsEachReceivedByteAndResumeFetchesOnlyTheRest(signal: Int32, code: Int32) async throws {
        let run = try SpateRun(patient + ["--json", "-d", "my files", url], in: folder)
        // A pipe gets each line at once.
        try await run.child.waitForOutput(containing: "\"received\":1")
        try await eventually("all bytes that were sent, on disk") { try partialBytes() == 1_500_000 }
        run.child.send(signal)
        #expect(try await run.exitCode() == code)
        #expect(try partialBytes() == 1_500_000)
        #expect(
            run.errorLines == [
                "spate: stopped; partial files kept: a.bin (1.5 MB of 2 MB).",
                "spate: to continue: spate resume -d 'my files'",
            ]
        )
        try await folder.spate(["resume", "-d", "my files"])
        #expect(try folder.bytes("my files/a.bin") == bytes)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 1_500_000)])
    }

    @Test func aPartInAFolderWithTwoNamesIsToldOnce() async throws {
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("."))
        let list = "\(url)\n dir=link\n\(server.url("/b.bin"))\n dir=\(folder.path)\n"
        let run = try SpateRun(patient + ["--json", "-j", "1", "-i", "-"], in: folder, input: list)
        try await run.child.waitForOutput(containing: "\"received\":1")
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        let line = try #require(run.errorLines.first)
        #expect(line.hasPrefix("spate: stopped; partial files kept: a.bin ("), "\(line)")
        #expect(line.hasSuffix(" of 2 MB); 1 download had not started."), "\(line)")
    }

    private func partialBytes() throws -> Int? {
        try folder.names(in: "my files").first { $0.hasPrefix("a.bin") }.map {
            try folder.bytes("my files/\($0)").count
        }
    }

    @Test func resumeFetchesWhatHadNotStarted() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2], for: $0).heldBack(by: gate) }
        // The checksum, which no file has, is kept, too.
        let options = ["-j", "1", "--checksum", "sha256:\(String(repeating: "0", count: 64))"]
        let killed = try SpateRun(patient + options + ["\(server.url("/sum"))"], in: folder)
        try await server.waitForRequests(1)
        let urls = (0..<5).map { server.url("/\($0)").absoluteString }
        let run = try SpateRun(patient + ["-j", "1", "-d", "."] + urls, in: folder)
        try await server.waitForRequests(2)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        #expect(run.errorLines.first?.hasSuffix("5 downloads had not started.") == true, "\(run.child.errors)")
        killed.child.send(SIGKILL)
        try await killed.child.waitForExit()
        let events = try await folder.spate(["status", "--json"]).events()
        let waiting = events.filter { $0["state"] as? String == "waiting" }.map { "\($0["url"] ?? "")" }
        #expect(Set(urls.dropFirst()).isSubset(of: waiting), "\(events)")
        gate.open()
        let resumed = try await folder.spate(["resume", "--retries", "0"], code: 1)
        #expect(resumed.errorLines.count == 1 && resumed.child.errors.contains("/sum"), "\(resumed.child.errors)")
        #expect(try folder.files == (0..<5).map { "\($0)" })
    }

    /// It may have very many files.
    @Test func aStopDoesNotReadTheFolder() async throws {
        let others = (0..<40).map { server.url("/b\($0).bin").absoluteString }
        let small = try TestServer { .file([1], for: $0) }
        try await folder.spate(["-q"] + others.indices.map { small.url("/o\($0)").absoluteString })
        let run = try SpateRun(patient + ["--json", url], in: folder)
        try await run.child.waitForOutput(containing: "\"received\":1")
        let watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        defer { close(watch) }
        #expect(inotify_add_watch(watch, folder.path, UInt32(IN_OPEN)) >= 0)
        run.child.send(SIGINT)
        #expect(try await run.exitCode() == 130)
        #expect(run.errorLines.first?.hasPrefix("spate: stopped; partial files kept: a.bin (1.") == true)
        var events = [UInt8](repeating: 0, count: 65_536)
        let count = read(watch, &events, events.count)
        let text = String(decoding: events.prefix(max(0, count)), as: UTF8.self)
        #expect(others.indices.allSatisfy { !text.contains("o\($0)\0") })
    }

    @Test func aSecondSignalExitsAtOnce() async throws {
        // Standard error is a full pipe without a reader, so the orderly stop after the first signal takes a while.
        let server = try TestServer { _ in .silence }
        let child = try shell(
            "mkfifo full; exec 3<>full; head -c 65536 /dev/zero >&3; exec $SPATE \(server.url("/a")) 2>&3"
        )
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
        let child = try shell("trap '' HUP; exec $SPATE --json \(server.url("/a.bin"))")
        try await child.waitForOutput(containing: "progress")
        child.send(SIGHUP)
        gate.open()
        #expect(try await child.waitForExit() == .status(0))
    }
}
