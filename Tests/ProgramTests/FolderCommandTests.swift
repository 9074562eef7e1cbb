import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// `status`, `resume` and `delete`.
@Suite(.takesTurns) struct FolderCommandTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 1_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Serves `/whole.bin` completely, and only 400,000 bytes of the others, except for range requests.
    private func server() throws -> TestServer {
        let file = TestFile(bytes, etag: "\"v1\"")
        return try TestServer(files: ["/whole.bin": file, "/part.bin": file, "/named": file]) { request, reply in
            request.path == "/whole.bin" || request.range != nil ? reply : reply.cut(after: 400_000)
        }
    }

    /// Leaves `whole.bin` finished, and `part.bin` and `my name` partial.
    private func fill(from server: TestServer) async throws {
        let fetched = try SpateRun(
            ["--retries", "0", "\(server.url("/whole.bin"))", "\(server.url("/part.bin"))"],
            in: folder
        )
        #expect(try await fetched.exitCode() == 1)
        let named = try SpateRun(["--retries", "0", "-o", "my name", "\(server.url("/named"))"], in: folder)
        #expect(try await named.exitCode() == 1)
        try Data("a stranger's".utf8).write(to: folder.url("stranger"))
    }

    @Test func statusListsFinishedAndPartialFiles() async throws {
        let server = try server()
        try await fill(from: server)
        let asked = server.requests.count
        let run = try SpateRun(["status"], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(
            run.child.output.split(separator: "\n") == [
                "partial   400 kB of 1 MB, 40 %  my name    \(server.url("/named"))",
                "partial   400 kB of 1 MB, 40 %  part.bin   \(server.url("/part.bin"))",
                "finished  1 MB                  whole.bin  \(server.url("/whole.bin"))",
            ]
        )
        #expect(run.child.errors == "")
        #expect(server.requests.count == asked)
    }

    @Test func statusWritesJSON() async throws {
        let server = try server()
        try await fill(from: server)
        let run = try SpateRun(["status", "--json"], in: folder)
        #expect(try await run.exitCode() == 0)
        let events = try run.events()
        #expect(events.map { $0["state"] as? String } == ["partial", "partial", "finished"])
        #expect(events.map { $0["received"] as? Int } == [400_000, 400_000, 1_000_000])
        #expect(events.last?["file"] as? String == folder.path("whole.bin"))
    }

    @Test func statusEndsQuietlyIfStandardOutputIsClosed() async throws {
        let server = try server()
        try await fill(from: server)
        let script = "exec \(try BuiltProgram.path("spate")) status >&-"
        let child = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await child.waitForExit() == .status(141))
        #expect(child.errors == "")
    }

    @Test func resumeFinishesEveryPartial() async throws {
        let server = try server()
        try await fill(from: server)
        let asked = server.requests.count
        let run = try SpateRun(["resume"], in: folder)
        #expect(try await run.exitCode() == 0, "\(run.child.errors)")
        #expect(try folder.names == ["my name", "part.bin", "stranger", "whole.bin"])
        #expect(try folder.bytes("my name") == bytes)
        #expect(try folder.bytes("part.bin") == bytes)
        #expect(server.requests.dropFirst(asked).map(\.range) == [.rest(from: 400_000), .rest(from: 400_000)])
    }

    @Test func resumeReportsThatThereAreNoPartialFiles() async throws {
        let run = try SpateRun(["resume"], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(run.errorLines == [Notice.nothingToFinish(in: folder.path).text])
    }

    @Test func deleteRemovesFinishedAndPartialFiles() async throws {
        let server = try server()
        try await fill(from: server)
        let again = try SpateRun(["-o", "another name", "\(server.url("/whole.bin"))"], in: folder)
        #expect(try await again.exitCode() == 0)
        let urls = ["/whole.bin", "/part.bin", "/named"].map { "\(server.url($0))" }
        let run = try SpateRun(["delete"] + urls, in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(try folder.names == ["stranger"])
    }

    @Test func deleteReportsURLsWithoutAFile() async throws {
        let server = try server()
        try await fill(from: server)
        let run = try SpateRun(["delete", "\(server.url("/stranger"))", "\(server.url("/part.bin"))"], in: folder)
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines == [Notice.nothingOf("\(server.url("/stranger"))", in: folder.path).text])
        #expect(try folder.names == ["my name.part", "stranger", "whole.bin"])
    }

    @Test func deleteRefusesAFileThatAnotherProcessIsDownloading() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/f": TestFile(bytes), "/g": TestFile([1])]) { request, reply in
            request.path == "/f" ? reply.gated(after: 400_000, gate) : reply
        }
        let whole = try SpateRun(["\(server.url("/g"))"], in: folder)
        #expect(try await whole.exitCode() == 0)
        let get = try SpateRun(["--timeout", "600", "\(server.url("/f"))"], in: folder)
        try await gate.reached()
        try await eventually("the partial file is there") { try folder.names.contains("f.part") }
        let delete = try SpateRun(["delete", "\(server.url("/f"))", "\(server.url("/g"))"], in: folder)
        #expect(try await delete.exitCode() == 1)
        #expect(delete.errorLines.count == 1 && delete.child.errors.contains("another download or program is using it"))
        #expect(try folder.names.filter { !$0.hasPrefix(".spate-queue-") } == ["f.part"])
        gate.open()
        #expect(try await get.exitCode() == 0, "\(get.child.errors)")
        #expect(try folder.bytes("f") == bytes)
    }
}
