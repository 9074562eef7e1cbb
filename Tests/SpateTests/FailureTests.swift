import Foundation
import Spate
import TestSupport
import Testing

@Suite(.takesTurns) struct FailureTests {
    @Test func aMissingFileFailsAtOnceAndLeavesNothing() async throws {
        let server = try TestServer { _ in .status(404, body: "not here") }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .httpStatus && error.statusCode == 404 && !error.isRetryable && !error.keptPartialFile)
        #expect(server.requests.count == 1 && test.names.isEmpty)
        #expect(error.message.contains("404") && error.localizedDescription == error.message)
    }

    @Test func retryAfterIsHonouredAndTheSlotIsFreeMeanwhile() async throws {
        let server = try TestServer { request in
            request.path == "/busy" && request.visit == 1
                ? .status(503, fields: ["Retry-After": "1"], body: "later") : .file([1], for: request)
        }
        // The time counts for the host: another one is asked meanwhile.
        let elsewhere = try TestServer { .file([1], for: $0) }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let busy = test.manager.download(server.url("/busy"))
        let events = busy.events
        test.manager.download(elsewhere.url("/other"))
        _ = try await busy.ended().get()
        let (requests, other) = (server.requests, try #require(elsewhere.requests.first))
        #expect(requests.count == 2 && requests[1].receivedAt - requests[0].receivedAt >= .seconds(1))
        #expect(other.receivedAt < requests[1].receivedAt)

        var waited = false
        for await event in events {
            if case .state(.waiting(.retry(_, let error))) = event { waited = error.statusCode == 503 }
        }
        #expect(waited)
    }

    @Test func aDownloadIsGivenUpAfterRetriesWithoutProgress() async throws {
        let server = try TestServer { _ in .status(500, body: "") }
        let test = try TestManager()
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.statusCode == 500 && error?.isRetryable == true && server.requests.count == 4)
    }

    @Test func noRetryMeansNone() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0).cut(after: 10) }
        let test = try TestManager { $0.retry = .never }
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .connectionFailed && error?.keptPartialFile == true && server.requests.count == 1)
    }

    static let badRequests: [(DownloadError.Code, @Sendable (inout DownloadRequest) -> Void)] = [
        (.unsupportedScheme, { $0.url = URL(filePath: "/etc/passwd") }),
        (.unsupportedScheme, { $0.url = URL(string: "ftp://host/file") ?? $0.url }),
        (.badURL, { $0.url = URL(string: "http:///file") ?? $0.url }),
        (.badURL, { $0.url = URL(string: "just-a-name") ?? $0.url }),
        (.badFileName, { $0.fileName = "../escape" }),
        (.badFileName, { $0.fileName = "" }),
        (.badFileName, { $0.fileName = "name\u{0}" }),
        (.badHeader, { $0.headers = ["X-One": "a\r\nX-Two: b"] }),
        (.badHeader, { $0.headers = ["X One": "a"] }),
        (.badHeader, { $0.headers = ["Range": "bytes=0-1"] }),
        (.badChecksum, { $0.sha256 = "abc" }),
    ]

    @Test(arguments: badRequests.indices) func aRequestThatCannotBeMetTouchesNothing(index: Int) async throws {
        let (code, change) = Self.badRequests[index]
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.directory = test.folder.url("new")
        change(&request)
        let heard = Recorder<DownloadError.Code?>()
        let download = test.manager.download(request, completion: { heard.append($0.error?.code) })
        #expect(download.state.isTerminal)
        try await heard.wait(forCount: 1)
        #expect(heard.values == [code])
        #expect(server.requests.isEmpty && test.names.isEmpty && test.manager.downloads.isEmpty)
    }

    @Test func aFolderThatCannotBeMadeIsAnError() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        try Data().write(to: test.folder.url("file"))
        var request = DownloadRequest(server.url("/f"))
        request.directory = test.folder.url("file/folder")
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .fileSystem && error.message.contains("file/folder"))
        #expect(server.requests.isEmpty)
    }

    @Test func aFileThatIsTooLargeIsRefusedBeforeItsBody() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.maximumBytes = 999
        #expect(try await test.manager.download(request).ended().error?.code == .tooLarge)
        #expect(test.names.isEmpty)
    }

    @Test func anEndlessBodyStopsAtTheLimit() async throws {
        let server = try TestServer { _ in .endless(.body) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.maximumBytes = 1_000_000
        let error = try await test.manager.download(request).ended().error
        #expect(error?.code == .tooLarge && server.requests.count == 1)
        let size = try test.manager.storedDownloads().first?.receivedBytes ?? 0
        #expect(size <= 1_000_000)
    }

    @Test func aStrangersFileIsNotOverwritten() async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let test = try TestManager()
        try Data("mine".utf8).write(to: test.folder.url("f"))
        var request = DownloadRequest(server.url("/f"))
        request.fileName = "f"
        #expect(try await test.manager.download(request).ended().error?.code == .fileExists)

        let file = try await test.manager.download(server.url("/f")).ended().get()
        #expect(file.lastPathComponent != "f" && file == test.manager.fileURL(for: server.url("/f")))
        #expect(try test.bytes("f") == Array("mine".utf8))

        request.replacesExistingFile = true
        _ = try await test.manager.download(request).ended().get()
        #expect(try test.bytes("f") == [1, 2])
    }

    @Test func twoManagersDoNotWriteOneFile() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1000), for: $0).stalled(after: 10) }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 10 })
        let other = try TestManager(folder: test.folder)
        let error = try await other.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .inUse && server.requests.count == 1)
        #expect(other.manager.restore().isEmpty)
    }

    @Test func credentialsAreUsedAndNowhereWritten() async throws {
        let server = try TestServer { request in
            request.fields["Authorization"] == nil
                ? .status(401, body: "") : .file(TestBytes.random(count: 1000), for: request)
        }
        let test = try TestManager()
        let url = try #require(URL(string: "http://ann:hidden-word@127.0.0.1:\(server.port)/f"))
        let file = try await test.manager.download(url).ended().get()
        #expect(try attributes(of: file.path).values.allSatisfy { !$0.contains("hidden-word") && !$0.contains("ann") })
        #expect(try attributes(of: file.path)["user.xdg.origin.url"] == "http://127.0.0.1:\(server.port)/f")
        #expect(try attributes(of: file.path)["user.spate.total"] == "1000")
        #expect(test.manager.isDownloaded(server.url("/f")))
    }

    @Test func noCredentialFollowsARedirectToAnotherOrigin() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { _ in .redirect(to: other.url("/elsewhere").absoluteString) }
        let test = try TestManager()
        let url = try #require(URL(string: "http://ann:word@127.0.0.1:\(server.port)/f"))
        var request = DownloadRequest(url)
        request.headers = [
            "Authorization": "Bearer x", "Cookie": "a=b", "X-Api-Key": "k", "X-Mine": "m", "X-Open": "o",
        ]
        request.privateHeaders = ["x-mine"]
        _ = try await test.manager.download(request).ended().get()
        let fields = try #require(other.requests.first).fields
        #expect(["Authorization", "Cookie", "X-Api-Key", "X-Mine"].allSatisfy { fields[$0] == nil })
        #expect(fields["X-Open"] == "o")
    }

    @Test func aRedirectedResumeStartsAtTheOriginalURL() async throws {
        let bytes = TestBytes.random(count: 100_000)
        let server = try TestServer { request in
            if request.path == "/f" { return .redirect(to: "/real?token=\(request.visit)") }
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.target == "/real?token=1" ? reply.cut(after: 50_000) : reply
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.target) == ["/f", "/real?token=1", "/f", "/real?token=2"])
        #expect(server.requests.last?.range == .rest(from: 50_000))
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a small file system needs root"))
    func aFullDiskKeepsWhatIsThereForALaterTry() async throws {
        let bytes = TestBytes.random(count: 2_000_000)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0).chunked() }
        let mount = try TemporaryMount(.tmpfs(bytes: 3_000_000))
        try Data(count: 2_000_000).write(to: URL(filePath: mount.path("filler")))
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .diskFull && error.keptPartialFile)
        try FileManager.default.removeItem(atPath: mount.path("filler"))
        _ = try await test.manager.download(server.url("/f")).ended().get()
        let found = [UInt8](try Data(contentsOf: URL(filePath: mount.path("f"))))
        #expect(TestBytes.difference(found, from: bytes) == nil && server.requests.last?.range != nil)
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a small file system needs root"))
    func aKnownSizeBeyondTheFreeSpaceIsRefusedBeforeTheBody() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 4_000_000), for: $0) }
        let mount = try TemporaryMount(.tmpfs(bytes: 2_000_000))
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .diskFull)
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path).isEmpty)
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
    func aFileSystemWithoutAttributesServesAllTheSame() async throws {
        let bytes = TestBytes.random(count: 200_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.stalled(after: 100_000) : reply
        }
        let mount = try TemporaryMount(.ramfs)
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let heard = Recorder<Int64>()
        let first = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 100_000 })
        first.cancel()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
        #expect(test.manager.isDownloaded(server.url("/f")))
        try test.manager.delete(server.url("/f"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount.path).isEmpty)
    }
}
