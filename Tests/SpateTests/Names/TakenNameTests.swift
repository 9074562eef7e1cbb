import Foundation
import SpateLocking
import SpateTestSupport
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

    enum Renewal: CaseIterable {
        case repair, checksum, update, replacement
    }

    /// The file that has the URL's name is another's, or is gone meanwhile.
    @Test(arguments: Renewal.allCases, [false, true])
    func aNewVersionTakesThePlaceOfTheFileWhateverItsName(renewal: Renewal, isNameFree: Bool) async throws {
        let version = Locked("1")
        let server = try TestServer { request in
            let content = request.path + version.withLock(\.self)
            return .file(Array(content.utf8), etag: "\"\(content)\"", for: request)
        }
        let urls = ["/one/a.bin", "/two/a.bin"].map { server.url($0) }
        _ = try await manager.download(urls[0]).ended().get()
        let file = try await manager.download(urls[1]).ended().get()
        #expect(file.lastPathComponent != "a.bin")
        let (name, other) = (file.lastPathComponent, try test.bytes("a.bin"))
        if isNameFree { try manager.delete(urls[0]) }

        var request = DownloadRequest(urls[1])
        var digest = SHA256()
        Array("/two/a.bin1".utf8).withUnsafeBytes { digest.update($0) }
        let found = digest.finish()
        let checksum = Checksum(.sha256, digest: try #require(found))
        switch renewal {
        case .repair, .checksum:
            request.checksum = checksum
            try test.write("x".utf8, to: name, at: 0)
        case .update, .replacement:
            version.withLock { $0 = "2" }
            (request.checksForUpdate, request.replacesExistingFile) = (renewal == .update, renewal == .replacement)
        }
        let download = renewal == .repair ? manager.repair(request) : manager.download(request)
        #expect(try await download.ended().get() == file)
        #expect(try test.bytes(name) == Array("/two/a.bin\(version.withLock(\.self))".utf8))
        #expect(test.names == (isNameFree ? [name] : [name, "a.bin"].sorted()))
        if !isNameFree { #expect(try test.bytes("a.bin") == other) }
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
