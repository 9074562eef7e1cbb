import Foundation
import SpateTestSupport
import Testing

/// Lists of more than the 1,000 URLs that are checked before anything is fetched.
@Suite(.takesTurns) struct LongListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func writeList(of server: TestServer, _ count: Int) throws {
        try folder.write((0..<count).map { "\(server.url("/\($0)"))\n" }.joined(), to: "list")
    }

    /// The second list is a named pipe. It has no end until a writer has opened and closed it.
    private func runWithPipe(_ options: [String]) throws -> SpateRun {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        return try SpateRun(["-q", "--timeout", "600"] + options + ["-i", "list", "-i", "pipe"], in: folder)
    }

    @Test func fetchingStartsBeforeTheListIsReadToItsEndAndAnInvalidLineThereIsReported() async throws {
        let server = try TestServer { request in .status(200, body: request.path) }
        try writeList(of: server, 1_100)
        let run = try runWithPipe(["-j8", "-d", "out"])
        try await server.waitForRequests(1_000)
        try folder.write("nonsense\n\(server.url("/0"))\n\(server.url("/last"))\n", to: "pipe")
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix("spate: pipe, line 1: “nonsense” is not a URL") == true)
        #expect(try folder.names(in: "out").count == 1_101 && folder.text("out/last") == "/last")
        // Duplicates are recognised.
        #expect(server.requests.count == 1_101)
    }

    @Test func optionsOfAria2AreNamedOnceAtTheEndOfALongList() async throws {
        let server = try TestServer { request in .status(200, body: request.path) }
        let entries = (0..<1_100).map { "\(server.url("/\($0)"))\n gid=\($0)\n" }
        try folder.write(entries.joined() + "\(server.url("/last"))\n split=2\n", to: "list")
        let run = try await folder.spate(["-j8", "-d", "out", "-i", "list"])
        #expect(run.errorLines == ["spate: note: list: options of aria2 that Spate does not use: gid, split."])
        #expect(try folder.names(in: "out").count == 1_101)
    }

    @Test func aSignalStopsTheRunWhileTheListIsBeingReadAndQuietIsSilent() async throws {
        let server = try TestServer { _ in .silence }
        try writeList(of: server, 1_000)
        let run = try runWithPipe([])
        try await server.waitForRequests(3)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        #expect(run.child.errors == "")
        #expect(server.requests.count == 3)
    }

    @Test func aKilledRunLeavesAllOfALongListToResume() async throws {
        let server = try TestServer { _ in .silence }
        try writeList(of: server, 1_600)
        let killed = try SpateRun(["-q", "--timeout", "600", "-i", "list", "-d", "out"], in: folder)
        let last = Data(server.url("/1599").absoluteString.utf8)
        try await eventually("the end of the list is stored") {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("out"))) ?? []
            let journal = names.first { $0.hasPrefix(".spate-queue-") }
            return try journal.map { try Data(contentsOf: folder.url("out/\($0)")) }?.range(of: last) != nil
        }
        killed.child.send(SIGKILL)
        try await killed.child.waitForExit()
        let events = try await folder.spate(["status", "--json", "-d", "out"]).events()
        #expect(Set(events.map { "\($0["url"] ?? "")" }).count == 1_600)
    }
}
