import Foundation
import TestSupport
import Testing

@testable import Spate

/// Files that have another name, because theirs was taken.
@Suite(.takesTurns) struct TakenNameTests {
    private let test: TestManager
    private var manager: DownloadManager { test.manager }

    init() throws { test = try TestManager() }

    @Test func theSecondOfANameIsToldWhileTheFirstStillRuns() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file(Array("abcdef".utf8), for: request)
            return request.target.hasPrefix("/one") ? reply.gated(after: 3, gate) : reply
        }
        let first = manager.download(server.url("/one/a.bin"))
        let second = manager.download(server.url("/two/a.bin"))
        let file = try await second.ended().get()
        #expect(!first.state.isTerminal && second.remarks == [.nameTaken("a.bin")])
        #expect(file.lastPathComponent != "a.bin")
        gate.open()
        #expect(try await first.ended().get().lastPathComponent == "a.bin" && first.remarks == [])
        // Its name is as it was: nothing is new.
        var update = DownloadRequest(server.url("/two/a.bin"))
        update.checksForUpdate = true
        let updated = manager.download(update)
        #expect(try await updated.ended().get() == file && updated.remarks == [])
    }

    @Test(arguments: [
        ("/d/a.bin?v=1", "a.bin", true), ("/d/a-1a2b3c4d.bin", "a.bin", false), ("/d/b.bin?v=1", "a.bin", false),
        ("/d/a.bin", "a.bin", true), ("/d/a", "report.zip", false),
    ])
    func aFileOfAnotherHasTheName(target: String, existing: String, isTaken: Bool) async throws {
        let server = try TestServer { .file(Array("abc".utf8), for: $0) }
        try Data("mine".utf8).write(to: test.folder.url(existing))
        let download = manager.download(server.url(target))
        let file = try await download.ended().get()
        #expect(download.remarks == (isTaken ? [.nameTaken(existing)] : []))
        #expect(isTaken == (file.lastPathComponent != server.url(target).lastPathComponent))
    }

    @Test func theServersNameIsToldAndACallersNameIsHisOwn() async throws {
        let server = try TestServer {
            .file(Array("abc".utf8), for: $0).addingField("Content-Disposition", "attachment; filename=\"report.zip\"")
        }
        try Data("mine".utf8).write(to: test.folder.url("report.zip"))
        var request = DownloadRequest(server.url("/d/a.bin"))
        request.naming = .server
        let download = manager.download(request)
        _ = try await download.ended().get()
        #expect(download.remarks == [.nameTaken("report.zip")])
        var named = DownloadRequest(server.url("/d/b.bin"))
        named.fileName = "c-1a2b3c4d.bin"
        let explicit = manager.download(named)
        _ = try await explicit.ended().get()
        #expect(explicit.remarks == [])
    }
}
