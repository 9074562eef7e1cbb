import Foundation
import Spate
import TestSupport
import Testing

@Suite(.takesTurns) struct ManyDownloadsTests {
    @Test func aHundredFilesGoThroughThreeSlots() async throws {
        let server = try TestServer { request in
            .file(TestBytes.random(count: 20_000, seed: UInt64(request.path.dropFirst(2)) ?? 0), for: request)
        }
        let test = try TestManager()
        let downloads = test.manager.download((0..<100).map { server.url("/f\($0)") })
        for (index, download) in downloads.enumerated() {
            let file = try await download.ended().get()
            #expect(file == test.folder.url("f\(index)"))
            #expect(try test.bytes("f\(index)") == TestBytes.random(count: 20_000, seed: UInt64(index)))
        }
        #expect(server.mostAtOnce <= 3 && server.requests.count == 100)
        #expect(test.names.count == 100)
        #expect(test.manager.downloads.isEmpty)
    }

    @Test func theCapIsReachedAndNeverExceeded() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let downloads = test.manager.download((0..<10).map { server.url("/f\($0)") })
        try await server.waitForRequests(3)
        #expect(downloads.filter { if case .running = $0.state { true } else { false } }.count == 3)
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
        #expect(server.mostAtOnce == 3)
    }

    @Test func aHigherCapTakesEffectAtOnce() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let downloads = test.manager.download((0..<6).map { server.url("/f\($0)") })
        try await server.waitForRequests(1)
        test.manager.maxConcurrentDownloads = 5
        try await server.waitForRequests(5)
        #expect(server.requests.count == 5)
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test func aCapBelowOneIsOne() throws {
        let test = try TestManager { $0.maxConcurrentDownloads = 0 }
        #expect(test.manager.maxConcurrentDownloads == 1)
        test.manager.maxConcurrentDownloads = -3
        #expect(test.manager.maxConcurrentDownloads == 1)
    }

    @Test func equalURLsAreOneDownloadAndEveryCallerIsNotified() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2, 3], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let heard = Recorder<Result<URL, DownloadError>>()
        let same = server.url("/f").absoluteString
        let spellings = [same, same.replacingOccurrences(of: "http", with: "HTTP"), same + "#part"]
        let downloads = try spellings.map { spelling in
            test.manager.download(try #require(URL(string: spelling))) { heard.append($0) }
        }
        #expect(downloads[0] === downloads[1] && downloads[0] === downloads[2])
        gate.open()
        try await heard.wait(forCount: 3)
        #expect(heard.values.allSatisfy { (try? $0.get()) == test.folder.url("f") })
        #expect(server.requests.count == 1)
    }

    @Test func urlsThatWantOneNameGetDifferentOnes() async throws {
        let server = try TestServer { .file(Array($0.target.utf8), for: $0) }
        let test = try TestManager()
        let downloads = test.manager.download(
            ["/a/name.tar.gz", "/b/name.tar.gz", "/c/name.tar.gz"].map { server.url($0) }
        )
        let expected = downloads.map { test.manager.fileURL(for: $0.url) }
        var files: [URL] = []
        for download in downloads { files.append(try await download.ended().get()) }
        #expect(files == expected && Set(files).count == 3)
        #expect(files[0].lastPathComponent == "name.tar.gz")
        #expect(files.allSatisfy { $0.lastPathComponent.hasPrefix("name") && $0.path.hasSuffix(".tar.gz") })
        #expect(
            try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
                == ["/a/name.tar.gz", "/b/name.tar.gz", "/c/name.tar.gz"]
        )
    }

    @Test func aFileThatIsWholeIsAnsweredAtOnceWithoutARequest() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager()
        let url = server.url("/f")
        #expect(!test.manager.isDownloaded(url))
        _ = try await test.manager.download(url).ended().get()
        #expect(test.manager.isDownloaded(url))

        let heard = Recorder<DownloadProgress>()
        let again = test.manager.download(url, progress: { heard.append($0) })
        guard case .finished(let file) = again.state else {
            Issue.record("not finished: \(again.state)")
            return
        }
        #expect(file == test.manager.fileURL(for: url))
        let progress = try await heard.wait(forCount: 1)
        #expect(progress.last?.receivedBytes == 3 && progress.last?.fractionCompleted == 1)
        #expect(server.requests.count == 1)
    }

    @Test func ofManyThoseThatAreWholeAreAnsweredAtOnceAndNoOthers() async throws {
        let server = try TestServer { .file(Array($0.target.utf8), for: $0) }
        let test = try TestManager()
        // Two of them want one name, and the second has another: that one is found again, though the first is gone.
        let earlier = ["/f3", "/a/f50", "/b/f50", "/f99"]
        for download in test.manager.download(earlier.map { server.url($0) }) { _ = try await download.ended().get() }
        try FileManager.default.removeItem(at: test.folder.url("f50"))
        try Data("a stranger's".utf8).write(to: test.folder.url("f7"))

        let paths = (0..<49).map { "/f\($0)" } + ["/b/f50", "/f99"]
        let downloads = test.manager.download(paths.map { server.url($0) })
        for (path, download) in zip(paths, downloads) {
            if case .finished = download.state {} else { #expect(!earlier.contains(path)) }
        }
        for (path, download) in zip(paths, downloads) {
            let file = try await download.ended().get()
            #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == path)
        }
        let asked = server.requests.map(\.target)
        #expect(asked.count == earlier.count + paths.count - 3 && Set(asked).count == asked.count)
    }

    @Test func downloadsAreListedInTheirOrderUntilTheyEnd() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let downloads = test.manager.download((0..<20).map { server.url("/f\($0)") })
        #expect(test.manager.downloads.map(\.url) == downloads.map(\.url))
        #expect(test.manager[server.url("/f7")] === downloads[7])
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
        #expect(test.manager.downloads.isEmpty && test.manager[server.url("/f7")] == nil)
    }

    @Test func aFolderIsOpenOnlyWhileItIsInUse() async throws {
        let server = try TestServer { request in
            request.visit == 1 ? .status(500) : .file([1], for: request)
        }
        let test = try TestManager {
            $0.retry = RetryPolicy(firstDelay: .seconds(100_000), maximumDelay: .seconds(100_000))
        }
        let downloads = (0..<200).map { number in
            var request = DownloadRequest(server.url("/f\(number)"))
            request.directory = test.folder.url("\(number)")
            return test.manager.download(request)
        }
        // The last few are kept for reuse, and an attempt that has ended may not have been released yet.
        let isFew = { try ProcessProbe().descriptors.values.filter { $0.hasPrefix(test.folder.path) }.count <= 20 }
        for download in downloads {
            for await event in download.events { if case .state(.waiting(.retry)) = event { break } }
        }
        try await eventually("those that wait for a retry hold no folder") { try isFew() }
        test.manager.resumeAll()
        for download in downloads { _ = try await download.ended().get() }
        try await eventually("nor do those that have ended") { try isFew() }
        #expect(test.names.count == 200)
    }

    @Test func aManagerThatNobodyHoldsFinishesItsWork() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let folder = try TemporaryFolder()
        let downloads = try { () -> [Download] in
            let test = try TestManager(folder: folder)
            let manager = DownloadManager(configuration: test.manager.configuration)
            return manager.download((0..<5).map { server.url("/f\($0)") })
        }()
        try await server.waitForRequests(3)
        gate.open()
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test func aManagerThatNobodyHoldsEndsItsPausedDownloads() async throws {
        let server = try TestServer { _ in .silence }
        let folder = try TemporaryFolder()
        let download = try { () -> Download in
            let test = try TestManager(folder: folder)
            let manager = DownloadManager(configuration: test.manager.configuration)
            let download = manager.download(server.url("/f"))
            download.pause()
            return download
        }()
        #expect(try await download.ended().error?.code == .cancelled)
    }
}
