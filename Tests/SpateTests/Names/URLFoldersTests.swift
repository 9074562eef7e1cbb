import Foundation
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking
import SpateQueueJournals
import SpateTestSupport
import Testing

@testable import Spate

/// Files in folders that their URLs name.
@Suite(.takesTurns) struct URLFoldersTests {
    private static let bytes = Array("abc".utf8)
    private let server: TestServer
    private let test: TestManager
    private var manager: DownloadManager { test.manager }
    private var host: String { "127.0.0.1:\(server.url("/").port ?? 0)" }

    init() throws {
        server = try TestServer { request in
            let reply = Reply.file(TestBytes.random(count: 200_000, seed: 1), etag: "\"v\"", for: request)
            if request.path.hasPrefix("/cut"), request.visit == 1 { return reply.cut(after: 150_000) }
            if request.path.hasPrefix("/named") {
                return reply.addingField("Content-Disposition", "attachment; filename=given.bin")
            }
            return reply
        }
        test = try TestManager { $0.retry.maxRetriesWithoutProgress = 0 }
    }

    private func request(_ path: String, cutting count: Int = 0, _ naming: DownloadNaming = .url) -> DownloadRequest {
        var request = DownloadRequest(server.url(path))
        (request.placement, request.naming) = (.urlFolders(cutting: count), naming)
        return request
    }

    /// The path below the manager's folder.
    private func fetch(_ request: DownloadRequest, by manager: DownloadManager? = nil) async throws -> String {
        let file = try await (manager ?? self.manager).download(request).ended().get()
        return String(file.path.dropFirst(test.folder.path.count + 1))
    }

    private func later() throws -> DownloadManager { try TestManager(folder: test.folder).manager }

    @Test func hostAndPathBecomeFoldersAndTheFilesAreFoundAgain() async throws {
        let requests = [
            request("/a/b/f.bin"), request("/a/c/f.bin", cutting: 1), request("/f.bin", cutting: 5),
            request("/named/d?id=1", .server), request("/a/%2e%2e%2Fx/f.bin"),
        ]
        let paths = ["a/b/f.bin", "c/f.bin", "f.bin", "named/given.bin", "a/.._x/f.bin"].map { "\(host)/\($0)" }
        for (request, path) in zip(requests, paths) {
            #expect(manager.fileURL(for: request).path.hasSuffix(request.naming == .url ? path : "named/d"))
            #expect(!manager.isDownloaded(request) && !manager.isDownloaded(request.url))
            #expect(try await fetch(request) == path)
            let later = try later()
            for manager in [manager, later] {
                #expect(manager.isDownloaded(request) && manager.isDownloaded(request.url))
                #expect(manager.fileURL(for: request) == test.folder.url(path))
                #expect(manager.fileURL(for: request.url) == test.folder.url(path))
            }
            #expect(try await fetch(request, by: later) == path)
        }
        #expect(server.requests.count == requests.count)
        let stored = try later().storedDownloads()
        #expect(stored.map { String($0.file.path.dropFirst(test.folder.path.count + 1)) }.sorted() == paths.sorted())
        #expect(try later().restore().isEmpty)

        try later().delete(requests[0].url)
        try later().delete(requests[3].url)
        try later().delete(requests[1])
        #expect(try later().storedDownloads().count == 2)
        try Data("mine".utf8).write(to: test.folder.url("\(host)/a/mine"))
        try later().deleteAll()
        #expect(try later().storedDownloads().isEmpty)
        #expect(FileManager.default.fileExists(atPath: test.folder.path("\(host)/a/mine")))
    }

    /// An error in one folder is told after the others are done.
    @Test func deletingAllGoesOnAfterAFailure() async throws {
        for path in ["/a/f.bin", "/b/f.bin", "/c/f.bin"] { _ = try await fetch(request(path)) }
        let kept = test.folder.path("\(host)/b/f.bin")
        var platform = Platform.native
        platform.unlink = { [unlink = platform.unlink] folder, name in
            var (above, inside) = (stat(), stat())
            let isKept =
                stat(URL(fileURLWithPath: kept).deletingLastPathComponent().path, &above) == 0
                && fstat(folder, &inside) == 0 && above.st_ino == inside.st_ino
            if isKept {
                errno = EACCES
                return -1
            }
            return unlink(folder, name)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let other = DownloadManager(configuration: .init(directory: test.folder.url), in: surroundings)
        #expect(throws: DownloadError.self) { try other.deleteAll() }
        #expect(try later().storedDownloads().map(\.file.path) == [kept])
        #expect(throws: DownloadError.self) { try other.delete(server.url("/b/f.bin")) }
        try later().delete(server.url("/b/f.bin"))
        #expect(try later().storedDownloads().isEmpty)
    }

    /// All its bytes have come, and it has no name yet: it would get one when the attempt ends.
    @Test(arguments: [DownloadPlacement.folder, .urlFolders()])
    func deletingAllRemovesWhatAnEndedDownloadStillWrites(placement: DownloadPlacement) async throws {
        let gate = try Gate()
        var platform = Platform.native
        platform.sync = { [sync = platform.sync] descriptor in
            gate.pass()
            return sync(descriptor)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let other = DownloadManager(configuration: .init(directory: test.folder.url), in: surroundings)
        var request = DownloadRequest(server.url("/f.bin"))
        request.placement = placement
        let download = other.download(request)
        try await gate.reached()
        download.cancel()
        try other.deleteAll()
        gate.open()
        try await eventually("the attempt has ended") { !other.hasOpenFile(download) }
        #expect(try later().storedDownloads().isEmpty)
    }

    @Test(arguments: [DownloadNaming.url, .server]) func aPartIsRestoredWhereItIs(naming: DownloadNaming) async throws {
        let request = request("/cut/d/f.bin", naming)
        #expect(try await manager.download(request).ended().error?.keptPartialFile == true)
        let later = try later()
        #expect(try later.storedDownloads().map(\.isFinished) == [false])
        let restored = try #require(later.restore().first)
        #expect(try await restored.ended().get() == test.folder.url("\(host)/cut/d/f.bin"))
        #expect(try test.bytes("\(host)/cut/d/f.bin") == TestBytes.random(count: 200_000, seed: 1))
        #expect(server.requests.last?.range != nil)
    }

    @Test func aQueueKeepsThePlaces() async throws {
        let first = try TestManager(folder: test.folder) { $0.keepsQueue = true }
        first.manager.feed.queue.isSuspended = true
        first.manager.download([request("/a/b/f.bin", cutting: 1), request("/c/f.bin")])
        first.manager.journal?.write()
        let (entries, own) = (Locked<[JournalEntry]>([]), try first.manager.ownDirectory())
        try own.forEachJournalEntry { entry, _ in entries.withLock { $0.append(entry) } }
        #expect(entries.withLock { $0.map(\.cutURLFolders) } == [1, 0])
        #expect(entries.withLock { $0.compactMap(\.folder) } == [])
        #expect(entries.withLock { $0.compactMap(\.request?.placement) } == [.urlFolders(cutting: 1), .urlFolders()])
    }

    @Test func damagedFilesAreFoundAndFetchedAnewWhereTheyAre() async throws {
        var digest = SHA256()
        TestBytes.random(count: 200_000, seed: 1).withUnsafeBytes { digest.update($0) }
        let bytes = digest.finish()
        let checksum = Checksum(.sha256, digest: try #require(bytes))
        for (path, naming) in [("/a/f.bin", DownloadNaming.url), ("/named/d", .server)] {
            var request = request(path, naming)
            request.checksum = checksum
            let file = try await fetch(request)
            try test.write("x".utf8, to: file, at: 0)
            var results: [(file: URL, result: VerificationResult)] = []
            for await element in try later().verify() { results.append(element) }
            let bad = results.filter(\.result.isBad)
            #expect(bad.map(\.file) == [test.folder.url(file)] && bad.map(\.result.state) == [.damaged])
            let repair = try #require(bad.first?.result.repair)
            #expect(try await fetch(repair, by: later()) == file)
            results = []
            for await element in try later().verify() { results.append(element) }
            #expect(results.allSatisfy { $0.result.state == .verified })
        }
        #expect(try later().storedDownloads().count == 2)
    }

    @Test func whatFailedIsTriedAgainInItsPlace() async throws {
        let refused = try TestServer { $0.visit == 1 ? .status(404) : .file(Self.bytes, for: $0) }
        let first = try TestManager(folder: test.folder) { $0.keepsQueue = true }
        var request = DownloadRequest(refused.url("/a/b/f?id=1"))
        (request.placement, request.naming) = (.urlFolders(cutting: 1), .automatic)
        #expect(try await first.manager.download(request).ended().error?.statusCode == 404)
        first.manager.journal?.write()
        let failure = try #require(try later().storedFailures().first)
        #expect(failure.request.placement == .urlFolders(cutting: 1) && failure.request.naming == .automatic)
        let file = try await later().download(failure.request).ended().get()
        #expect(file.path.hasSuffix("/b/f") && !file.path.contains("/a/"))
    }

    @Test func aFileInTheWayOfAFolderIsAClearError() async throws {
        #expect(try await fetch(request("/a")) == "\(host)/a")
        let error = try #require(try await manager.download(request("/a/b")).ended().error)
        #expect(error.code == .fileSystem && !error.isRetryable, "\(error)")
        #expect(error.message.contains("\(host)/a") && error.message.contains("not a folder"), "\(error)")
        // The other way round, the file avoids the folder.
        #expect(try await fetch(request("/c/d")) == "\(host)/c/d")
        #expect(try await fetch(request("/c")).hasPrefix("\(host)/c-"))
    }

    @Test func manyFoldersTakeFewDescriptors() async throws {
        var most = 0
        let many = try TestManager(folder: test.folder) { $0.maxConcurrentDownloads = 8 }
        let requests = (0..<300).map { request("/\($0)/f.bin", $0 % 2 == 0 ? .url : .server) }
        for download in many.manager.download(requests) {
            _ = try await download.ended().get()
            most = max(most, try folderDescriptorCount(below: test.folder.path))
        }
        #expect(most <= 64)
        #expect(try later().storedDownloads().count == 300)
    }
}
