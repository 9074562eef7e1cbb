import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// Files whose requests give their paths below the manager's folder.
@Suite(.takesTurns) struct RelativePathTests {
    private let server: TestServer
    private let test: TestManager

    init() throws {
        server = try TestServer { request in
            let reply = Reply.file(TestBytes.random(count: 200_000, seed: 1), etag: "\"v\"", for: request)
            return request.path.hasPrefix("/cut") && request.visit == 1 ? reply.cut(after: 150_000) : reply
        }
        test = try TestManager { $0.retry.maxRetriesWithoutProgress = 0 }
    }

    private func request(_ path: String, at relativePath: String) -> DownloadRequest {
        var request = DownloadRequest(server.url(path))
        request.relativePath = relativePath
        return request
    }

    private func later(keepsQueue: Bool = false) throws -> DownloadManager {
        try TestManager(folder: test.folder) { $0.keepsQueue = keepsQueue }.manager
    }

    private func paths(_ manager: DownloadManager) throws -> [String] {
        try manager.storedDownloads().map { String($0.file.path.dropFirst(test.folder.path.count + 1)) }
    }

    @Test func filesAreFoundAgainByRequestAndByURL() async throws {
        let requests = [
            request("/a", at: "onnx/model.onnx"), request("/b", at: "onnx/fp16/model.onnx"),
            request("/c", at: "config"),
        ]
        for request in requests {
            let path = try #require(request.relativePath)
            #expect(test.manager.fileURL(for: request) == test.folder.url(path))
            #expect(try await test.manager.download(request).ended().get() == test.folder.url(path))
            for manager in [test.manager, try later()] {
                #expect(manager.isDownloaded(request) && manager.isDownloaded(request.url))
                #expect(manager.fileURL(for: request) == test.folder.url(path))
                #expect(manager.fileURL(for: request.url) == test.folder.url(path))
            }
            #expect(try await later().download(request).ended().get() == test.folder.url(path))
        }
        #expect(server.requests.count == 3)
        #expect(try paths(later()) == ["config", "onnx/model.onnx", "onnx/fp16/model.onnx"])
        #expect(try later().restore().isEmpty)

        try later().delete(requests[0].url)
        #expect(try paths(later()) == ["config", "onnx/fp16/model.onnx"])
        #expect(try later().delete([requests[1].url]).isEmpty)
        try later().delete(requests[2])
        #expect(try paths(later()) == [])
    }

    @Test func allAreDeletedAndForeignFilesStay() async throws {
        for path in ["x/a", "x/y/a"] {
            _ = try await test.manager.download(request("/" + path, at: path)).ended().get()
        }
        try Data("mine".utf8).write(to: test.folder.url("x/mine"))
        try later().deleteAll()
        #expect(try paths(later()) == [] && FileManager.default.fileExists(atPath: test.folder.path("x/mine")))
    }

    /// URLs may have led to the folder before.
    @Test func aFolderMayBeOfAURLAndOfAPath() async throws {
        var first = DownloadRequest(server.url("/a/f"))
        first.placement = .urlFolders()
        let folder = try await test.manager.download(first).ended().get().deletingLastPathComponent().path
        let second = request("/b", at: String(folder.dropFirst(test.folder.path.count + 1)) + "/other")
        _ = try await test.manager.download(second).ended().get()
        try later().delete(second.url)
        #expect(try paths(later()).count == 1)
        try later().delete(first.url)
        #expect(try paths(later()) == [])
    }

    @Test func aFolderThatWasThereBeforeIsSearchedToo() async throws {
        try FileManager.default.createDirectory(at: test.folder.url("x"), withIntermediateDirectories: true)
        _ = try await test.manager.download(request("/a", at: "x/f")).ended().get()
        #expect(try paths(later()) == ["x/f"])
    }

    @Test(arguments: [
        ("../../up", "up"), ("/etc/passwd", "etc/passwd"), ("a//./b/../c", "a/b/c"), ("a/b.part", "a/b_part"),
        ("a\\b/c\u{7}d", "a_b/cd"), (".x.spate/y", "_x.spate/y"), ("caf\u{E9}/e\u{301}", "caf\u{E9}/e\u{301}"),
    ])
    func eachPartIsMadeSafe(path: String, safe: String) async throws {
        let file = try await test.manager.download(request("/a", at: path)).ended().get()
        #expect(Array(file.path.utf8) == Array(test.folder.path(safe).utf8))
    }

    @Test(arguments: ["", "/", "..", "./."]) func aPathWithoutANameIsRefused(path: String) async throws {
        let error = try #require(try await test.manager.download(request("/a", at: path)).ended().error)
        #expect(error.code == .badFileName && error.message.isSentence && test.names == [])
        #expect(throws: DownloadError.self) { try request("/a", at: path).check() }
    }

    /// It never goes beside a stranger's file, as a chosen name.
    @Test func aPathThatIsTakenFails() async throws {
        try FileManager.default.createDirectory(at: test.folder.url("x"), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: test.folder.url("x/f"))
        #expect(try await test.manager.download(request("/a", at: "x/f")).ended().error?.code == .fileExists)
        _ = try await test.manager.download(request("/a", at: "y/f")).ended().get()
        #expect(try await test.manager.download(request("/b", at: "y/f")).ended().error?.code == .fileExists)
        #expect(try await test.manager.download(request("/c", at: "y/f/g")).ended().error?.code == .fileSystem)
    }

    /// As an archive with a queue may have it.
    @Test(arguments: [true, false]) func noLinkIsFollowedBelowTheFolder(isOfURL: Bool) async throws {
        let elsewhere = try TemporaryFolder()
        let host = "127.0.0.1:\(server.url("/").port ?? 0)"
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path(isOfURL ? host : "x"),
            withDestinationPath: elsewhere.path
        )
        var request = request("/y/f", at: "x/y/f")
        if isOfURL { (request.relativePath, request.placement) = (nil, .urlFolders()) }
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .fileSystem && error.message.contains("not a folder"), "\(error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
    }

    @Test func aPartIsRestoredAndResumedWhereItIs() async throws {
        let request = request("/cut", at: "x/y/f")
        #expect(try await test.manager.download(request).ended().error?.keptPartialFile == true)
        let manager = try later()
        let restored = try #require(manager.restore().first)
        #expect(manager.download(request) === restored)
        #expect(try await restored.ended().get() == test.folder.url("x/y/f"))
        #expect(try test.bytes("x/y/f") == TestBytes.random(count: 200_000, seed: 1))
        #expect(server.requests.last?.range != nil)
    }

    @Test func aQueueKeepsThePathAndAFailureIsOverWithItsFile() async throws {
        let refused = try TestServer { $0.visit == 1 ? .status(404) : .file([1, 2, 3], for: $0) }
        var request = request("/a", at: "../x/f")
        request.url = refused.url("/a")
        let first = try later(keepsQueue: true)
        #expect(try await first.download(request).ended().error?.statusCode == 404)
        first.journal?.write()
        let failure = try #require(try later().storedFailures().first)
        #expect(failure.request.relativePath == "x/f" && failure.request.fileName == nil)
        #expect(try await later(keepsQueue: true).download(failure.request).ended().get() == test.folder.url("x/f"))
        #expect(try later().storedFailures().isEmpty)
    }

    @Test func itIsEncodedAndTakesPrecedence() throws {
        var request = request("/a", at: "x/f")
        (request.fileName, request.placement, request.naming) = ("other", .urlFolders(), .server)
        let decoded = try JSONDecoder().decode(DownloadRequest.self, from: JSONEncoder().encode(request))
        #expect(decoded == request && test.manager.fileURL(for: decoded) == test.folder.url("x/f"))
    }

    @Test func anotherPathOfARunningURLIsAConflict() async throws {
        test.manager.feed.queue.isSuspended = true
        let first = test.manager.download(request("/a", at: "x/f"))
        #expect(test.manager.download(request("/a", at: "x//./f")) === first)
        let error = try #require(try await test.manager.download(request("/a", at: "y/f")).ended().error)
        #expect(error.code == .conflict && error.message.contains("folder"))
        test.manager.cancelAll()
    }
}
