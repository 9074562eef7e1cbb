import Foundation
import Glibc
import Spate
import SpateTestSupport
import Testing

/// A finished file that somebody truncated or edited: not finished any more, and not a stranger's.
@Suite(.takesTurns) struct ChangedFileTests {
    private static let good = Array("abc".utf8)
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private let test: TestManager
    private let server: TestServer
    private let url: URL

    init() throws {
        test = try TestManager { $0.retry = .never }
        server = try TestServer { request in
            let reply = Reply.file(Self.good, etag: "\"v1\"", for: request)
            guard request.path == "/named" else { return reply }
            return reply.addingField("Content-Disposition", "attachment; filename=\"report.txt\"")
        }
        url = server.url("/f.txt")
    }

    enum Change: CaseIterable, Sendable {
        case truncated, longer
    }

    private func fetch(_ url: URL, _ change: (inout DownloadRequest) -> Void = { _ in }) async throws {
        var request = DownloadRequest(url)
        change(&request)
        _ = try await test.manager.download(request).ended().get()
    }

    /// Changes the finished file.
    ///
    /// - Returns: its bytes now.
    private func alter(_ name: String, _ change: Change = .longer) throws -> [UInt8] {
        switch change {
        case .truncated: #expect(truncate(test.folder.path(name), 1) == 0)
        case .longer: try test.write(Array("mine".utf8), to: name)
        }
        return try test.bytes(name)
    }

    private func stored() throws -> [String] {
        try test.manager.storedDownloads().map { stored in
            let state = stored.isChanged ? "changed" : stored.isFinished ? "finished" : "partial"
            return "\(stored.file.lastPathComponent): \(state)"
        }
    }

    /// No request, however it asks, makes a second copy under another name.
    @Test(arguments: Change.allCases) func itIsNeitherReplacedNorFetchedBesideIt(change: Change) async throws {
        try await fetch(url)
        let mine = try alter("f.txt", change)
        let changes: [(inout DownloadRequest) -> Void] = [
            { _ in }, { $0.checksForUpdate = true }, { $0.sha256 = Self.digest }, { $0.fileName = "f.txt" },
            { $0.naming = .server }, { $0.expectedBytes = 3 }, { $0.mirrors = [server.url("/mirror")] },
        ]
        for change in changes {
            var request = DownloadRequest(url)
            change(&request)
            let download = test.manager.download(request)
            let error = try await download.ended().error
            #expect(error?.code == .fileChanged && error?.isRetryable == false)
            #expect(error?.message.contains("\(test.folder.path("f.txt")) has \(mine.count) bytes") == true)
            #expect(test.manager.fileURL(for: request) == test.folder.url("f.txt"))
            #expect(!test.manager.isDownloaded(request))
        }
        #expect(try test.bytes("f.txt") == mine && test.names == ["f.txt"] && server.requests.count == 1)
        #expect(test.manager.fileURL(for: url) == test.folder.url("f.txt") && !test.manager.isDownloaded(url))
        #expect(try stored() == ["f.txt: changed"])
        let found = try #require(try test.manager.storedDownloads().first)
        #expect(
            found.receivedBytes == Int64(mine.count) && found.totalBytes == 3 && !found.isFinished && !found.isPartial
        )
        #expect(test.manager.restore().isEmpty)
    }

    @Test(arguments: Change.allCases, [false, true]) func aRequestThatReplacesPutsTheRightOneThere(
        change: Change,
        checks: Bool
    ) async throws {
        try await fetch(url)
        _ = try alter("f.txt", change)
        try await fetch(url) { ($0.replacesExistingFile, $0.checksForUpdate) = (true, checks) }
        #expect(try test.bytes("f.txt") == Self.good && stored() == ["f.txt: finished"])
    }

    /// With or without a checksum that it was fetched with.
    @Test(arguments: [nil, digest]) func itIsRepaired(checksum: String?) async throws {
        try await fetch(url) { $0.sha256 = checksum }
        _ = try alter("f.txt")
        let repair = test.manager.repair(DownloadRequest(url))
        _ = try await repair.ended().get()
        #expect(try test.bytes("f.txt") == Self.good && stored() == ["f.txt: finished"] && repair.update == .updated)
    }

    @Test(arguments: [nil, digest]) func aVerificationRepairsIt(checksum: String?) async throws {
        try await fetch(url) { $0.sha256 = checksum }
        let mine = try alter("f.txt")
        let manager = test.manager
        let results = try await withDeadline {
            var results: [VerificationResult] = []
            for await (_, result) in manager.verify() { results.append(result) }
            return results
        }
        let result = try #require(results.first)
        #expect(result.state == .changed && result.error?.code == .fileChanged && result.size == Int64(mine.count))
        #expect(result.expectedChecksum?.hexadecimal == checksum)
        let repair = try #require(result.repair)
        #expect(repair.sha256 == checksum)
        _ = try await test.manager.download(repair).ended().get()
        #expect(try test.bytes("f.txt") == Self.good && stored() == ["f.txt: finished"])
    }

    /// It is not deleted, and the error says so; what else there is of the URL goes.
    @Test func aDeletionSaysThatItStays() async throws {
        try await fetch(url)
        let request = DownloadRequest(url)
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        let mine = try alter("f.txt")
        let deletions: [() throws -> Void] = [
            { try test.manager.delete(url) }, { try test.manager.delete(request) }, { try test.manager.deleteAll() },
            { try download.delete() },
        ]
        for delete in deletions {
            let error = #expect(throws: DownloadError.self) { try delete() }
            #expect(error?.code == .fileChanged)
        }
        #expect(test.manager.delete([url]).map(\.value.code) == [.fileChanged])
        #expect(try test.bytes("f.txt") == mine && test.names == ["f.txt"])
        try await fetch(server.url("/other"))
        #expect(throws: DownloadError.self) { try test.manager.deleteAll() }
        #expect(test.names == ["f.txt"])
    }

    /// Earlier versions fetched a second copy. That one counts, until the first is replaced.
    @Test func aCopyUnderAnotherNameAnswers() async throws {
        // The copy has the name of a URL whose name was taken.
        try Data("a stranger's".utf8).write(to: test.folder.url("g.txt"))
        let second = server.url("/g.txt")
        try await fetch(second)
        let copy = test.manager.fileURL(for: second)
        #expect(copy.lastPathComponent.hasPrefix("g-"))
        try FileManager.default.removeItem(at: test.folder.url("g.txt"))
        let name = copy.lastPathComponent
        try FileManager.default.moveItem(at: copy, to: test.folder.url("kept"))
        try await fetch(second)
        _ = try alter("g.txt")
        try FileManager.default.moveItem(at: test.folder.url("kept"), to: copy)
        let requests = server.requests.count
        let answer = try await test.manager.download(second).ended().get()
        #expect(answer.lastPathComponent == name && server.requests.count == requests)
        #expect(test.manager.isDownloaded(second) && test.manager.fileURL(for: second) == answer)
        try await fetch(second) { $0.replacesExistingFile = true }
        #expect(try test.bytes("g.txt") == Self.good)
        #expect(test.manager.fileURL(for: second).lastPathComponent == "g.txt")
    }

    /// The name came from a response, so only the folder leads to it.
    @Test func oneThatTheServerNamedKeepsItsName() async throws {
        let named = server.url("/named")
        try await fetch(named) { $0.naming = .server }
        let mine = try alter("report.txt")
        var request = DownloadRequest(named)
        request.naming = .server
        #expect(try await test.manager.download(request).ended().error?.code == .fileChanged)
        #expect(try test.bytes("report.txt") == mine && test.names == ["report.txt"])
        #expect(test.manager.fileURL(for: request) == test.folder.url("report.txt"))
        request.replacesExistingFile = true
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("report.txt") == Self.good && test.names == ["report.txt"])
    }

    /// An interrupted replacement goes on as one.
    @Test func itsReplacementIsRestored() async throws {
        let content = [UInt8](repeating: 7, count: 400_000)
        let isCut = Watched(false)
        let server = try TestServer { request in
            let reply = Reply.file(TestFile(content, etag: "\"v1\""), for: request)
            return isCut.value && request.range == nil ? reply.cut(after: 200_000) : reply
        }
        _ = try await test.manager.download(server.url("/f.txt")).ended().get()
        _ = try alter("f.txt", .truncated)
        isCut.update { $0 = true }
        var request = DownloadRequest(server.url("/f.txt"))
        request.replacesExistingFile = true
        #expect(try await test.manager.download(request).ended().error != nil)
        #expect(try stored() == ["f.txt: changed", "f.txt: partial"])
        let requests = server.requests.count
        let later = try TestManager(folder: test.folder)
        let restored = later.manager.restore()
        #expect(restored.count == 1 && restored.first?.request.replacesExistingFile == true)
        _ = try await #require(restored.first).ended().get()
        #expect(try test.bytes("f.txt") == content && test.names == ["f.txt"])
        #expect(server.requests.dropFirst(requests).allSatisfy { $0.range != nil })
    }
}
