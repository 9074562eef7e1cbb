import Foundation
import Spate
import SpateTestSupport
import Testing

/// Files that are there before a download: by their name, by their checksum, and of others.
@Suite(.takesTurns) struct ExistingFileTests {
    private static let abc = Array("abc".utf8)
    private static let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let mine = Array("mine".utf8)
    typealias Change = (inout DownloadRequest) -> Void

    private let server: TestServer
    private let test: TestManager

    init() throws {
        server = try TestServer(files: ["/f": TestFile(Self.abc, etag: "\"v1\"")])
        test = try TestManager()
    }

    private func download(_ change: Change) -> Download {
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        return test.manager.download(request)
    }

    private func put(_ bytes: [UInt8], _ name: String = "f") throws {
        try Data(bytes).write(to: test.folder.url(name))
    }

    // MARK: By its name

    @Test(arguments: [false, true]) func anyFileOfTheNameIsGoodEnoughAndNoUpdateIsAskedFor(isLink: Bool) async throws {
        try put(Self.mine, isLink ? "target" : "f")
        if isLink { #expect(symlink("target", test.folder.path("f")) == 0) }
        var request = DownloadRequest(server.url("/f"))
        #expect(!test.manager.isDownloaded(request))
        (request.skipsExistingFile, request.checksForUpdate) = (true, true)
        let download = test.manager.download(request)
        #expect(download.state.isTerminal && download.progress.receivedBytes == 4 && download.update == nil)
        #expect(try await download.ended().get().path == test.folder.path("f"))
        #expect(try server.requests.isEmpty && test.bytes("f") == Self.mine && test.names.count == (isLink ? 2 : 1))
        #expect(test.manager.isDownloaded(request))
        #expect(test.manager.fileURL(for: request).path == test.folder.path("f"))
    }

    @Test func aFolderALinkToNothingAndNothingAreNoFile() async throws {
        let path = test.folder.path("f")
        let obstacles: [() -> CInt] = [{ 0 }, { symlink("nothing", path) }, { mkdir(path, 0o777) }]
        for (index, put) in obstacles.enumerated() {
            #expect(put() == 0)
            let file = try await download { $0.skipsExistingFile = true }.ended().get()
            #expect(try Data(contentsOf: file) == Data(Self.abc) && server.requests.count == index + 1)
            try test.manager.deleteAll()
        }
    }

    @Test func itMustHaveTheSizeAndTheChecksumThatAreGiven() async throws {
        try put(Self.abc)
        let right = download {
            ($0.skipsExistingFile, $0.expectedBytes, $0.sha256) = (true, 3, Self.sum)
        }
        #expect(try await right.ended().get().lastPathComponent == "f" && server.requests.isEmpty)

        // It counts as Spate's now.
        try test.manager.deleteAll()
        #expect(test.names.isEmpty)
        try put(Self.mine)
        let changes: [Change] = [{ $0.sha256 = Self.sum }, { $0.expectedBytes = 3 }, { $0.maximumBytes = 3 }]
        for change in changes {
            let wrong = download {
                $0.skipsExistingFile = true
                change(&$0)
            }
            let file = try await wrong.ended().get()
            #expect(file.lastPathComponent.hasPrefix("f-"))
            #expect(try Data(contentsOf: file) == Data(Self.abc) && test.bytes("f") == Self.mine)
            try test.manager.deleteAll()
        }
        let named = download { ($0.skipsExistingFile, $0.sha256, $0.fileName) = (true, Self.sum, "f") }
        #expect(try await named.ended().error?.code == .fileExists && test.bytes("f") == Self.mine)
    }

    // MARK: By its checksum

    @Test func aFileWithTheGivenChecksumIsNotAskedAbout() async throws {
        _ = try await download { _ in }.ended().get()
        let second = download { ($0.checksForUpdate, $0.sha256) = (true, Self.sum) }
        #expect(try await second.ended().get().lastPathComponent == "f")
        #expect(server.requests.count == 1 && second.update == .unchanged)
    }

    @Test(arguments: ["xbc", "ab"]) func oneWithAnotherChecksumOrSizeIsFetchedWithoutACondition(
        old: String
    ) async throws {
        let scene = try await UpdateScene(TestFile(old, etag: "\"v1\""))
        scene.serve(TestFile("abc", etag: "\"v1\""))
        let download = scene.update { if old.count == 3 { $0.sha256 = Self.sum } else { $0.expectedBytes = 3 } }
        _ = try await download.ended().get()
        #expect(try scene.requests.map(\.ifNoneMatch) == [nil] && scene.test.bytes("f") == Self.abc)
        #expect(download.update == .updated)
    }

    // MARK: Of others

    @Test func anUpdateThatMayReplaceAsksAboutItsOwnFileAndReplacesAStrangers() async throws {
        try put(Self.mine)
        let change: Change = { ($0.checksForUpdate, $0.replacesExistingFile) = (true, true) }
        let first = download(change)
        _ = try await first.ended().get()
        #expect(try test.bytes("f") == Self.abc && first.update == nil)
        let second = download(change)
        _ = try await second.ended().get()
        #expect(server.requests.map(\.ifNoneMatch) == [nil, "\"v1\""] && second.update == .unchanged)
    }

    // MARK: The server's time

    @Test(arguments: [true, false], [true, false])
    func theFileGetsTheServersTimeIfItIsAskedFor(byRequest: Bool, isCut: Bool) async throws {
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        let file = TestFile(TestBytes.random(count: 200_000), etag: "\"v1\"", lastModified: date)
        let server = try TestServer { request in
            let reply = Reply.file(file, for: request)
            // A part need not repeat the date.
            return isCut ? request.visit == 1 ? reply.cut(after: 100_000) : reply.removingField("Last-Modified") : reply
        }
        let test = try TestManager { $0.keepsServerTime = !byRequest }
        var request = DownloadRequest(server.url("/f"))
        if byRequest { request.keepsServerTime = true }
        _ = try await test.manager.download(request).ended().get()
        let facts = try FileManager.default.attributesOfItem(atPath: test.folder.path("f"))
        #expect(facts[.modificationDate] as? Date == date)
        #expect(try attributes(of: test.folder.path("f"))["user.spate.last-modified"] == nil)
    }

    @Test func otherwiseItHasItsOwnTime() async throws {
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        let server = try TestServer { request in
            var file = TestFile(Self.abc, etag: "\"v1\"")
            if request.path != "/none" { file.lastModified = request.path == "/far" ? .distantFuture : old }
            return .file(file, for: request)
        }
        let test = try TestManager { $0.keepsServerTime = true }
        var refusing = DownloadRequest(server.url("/old"))
        refusing.keepsServerTime = false
        for request in [refusing, DownloadRequest(server.url("/none"))] {
            let file = try await test.manager.download(request).ended().get()
            let facts = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((facts[.modificationDate] as? Date).map { $0 > Date() - 3_600 } == true)
        }
        _ = try await test.manager.download(server.url("/far")).ended().get()
    }
}
