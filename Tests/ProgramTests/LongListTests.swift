import Foundation
import TestSupport
import Testing

/// Lists of more than the 1,000 URLs that are checked before anything is fetched.
@Suite(.takesTurns) struct LongListTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func writeList(of server: TestServer, _ count: Int) throws {
        let text = (0..<count).map { "\(server.url("/\($0)"))\n" }.joined()
        try Data(text.utf8).write(to: folder.url("list"))
    }

    /// A list in a named pipe. It has no end until a writer has opened and closed it.
    private func makePipe() {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    }

    @Test func fetchingStartsBeforeTheListIsReadToItsEnd() async throws {
        let server = try TestServer { request in .status(200, body: request.path) }
        try writeList(of: server, 1_200)
        makePipe()
        let run = try SpateRun(["-q", "-j8", "-d", "out", "-i", "list", "-i", "pipe"], in: folder)
        try await server.waitForRequests(1_000)
        try Data("\(server.url("/last"))\n".utf8).write(to: folder.url("pipe"))
        #expect(try await run.exitCode() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count == 1_201)
        #expect(try folder.bytes("out/last") == Array("/last".utf8))
        #expect(server.requests.count == 1_201)
    }

    @Test func aSignalStopsTheRunWhileTheListIsBeingRead() async throws {
        let server = try TestServer { _ in .silence }
        try writeList(of: server, 1_000)
        makePipe()
        let run = try SpateRun(["-q", "--timeout", "600", "-i", "list", "-i", "pipe"], in: folder)
        try await server.waitForRequests(3)
        run.child.send(SIGTERM)
        #expect(try await run.exitCode() == 143)
        #expect(server.requests.count == 3)
    }

    @Test func anInvalidLineFarDownIsReportedAndTheRestIsFetched() async throws {
        let server = try TestServer { request in .status(200, body: request.path) }
        try writeList(of: server, 1_100)
        let more = "nonsense\n\(server.url("/0"))\n\(server.url("/last"))"
        let run = try SpateRun(["-j8", "-d", "out", "-i", "list", "-i", "-"], in: folder, input: more)
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix("spate: standard input, line 1: “nonsense” is not a URL") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count == 1_101)
        // Duplicates are recognised.
        #expect(server.requests.filter { $0.path == "/0" }.count == 1)
    }

    @Test func aKilledRunLeavesAllOfALongListToResume() async throws {
        let server = try TestServer { _ in .silence }
        try writeList(of: server, 1_600)
        let killed = try SpateRun(["-q", "--timeout", "600", "-i", "list", "-d", "out"], in: folder)
        let last = server.url("/1599").absoluteString
        try await eventually("the end of the list is stored") {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("out"))) ?? []
            let journal = names.first { $0.hasPrefix(".spate-queue-") }
            return try journal.map { try Data(contentsOf: folder.url("out/\($0)")) }?.range(of: Data(last.utf8)) != nil
        }
        killed.child.send(SIGKILL)
        _ = try await killed.child.waitForExit()
        let status = try SpateRun(["status", "--json", "-d", "out"], in: folder)
        #expect(try await status.exitCode() == 0)
        #expect(Set(try status.events().map { "\($0["url"] ?? "")" }).count == 1_600)
    }

    @Test func anUnreadableInputFileIsReportedBeforeAnythingIsFetched() async throws {
        let server = try TestServer { request in .status(200, body: request.path) }
        try writeList(of: server, 1_200)
        for second in ["none", "."] {
            let run = try SpateRun(["-i", "list", "-i", second], in: folder)
            #expect(try await run.exitCode() == 2)
            #expect(run.errorLines.first?.hasPrefix("spate: can't read --input \(second): ") == true)
        }
        #expect(server.requests.isEmpty)
        #expect(try folder.names == ["list"])
    }
}
