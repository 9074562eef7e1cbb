import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct QueueJournalTests: QueueFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Though its end is written a moment later.
    @Test func whatHasEndedDoesNotWait() async throws {
        let server = try TestServer { $0.path == "/missing" ? .status(404) : .file([1, 2, 3], for: $0) }
        let test = try manager(isSuspended: false)
        let missing = test.manager.download(server.url("/missing"))
        #expect(try await missing.ended().error?.statusCode == 404)
        #expect(try test.manager.storedQueue().isEmpty)
        // A finished file does not show that a request to replace it has ended.
        for _ in 1...2 {
            var request = DownloadRequest(server.url("/f"))
            request.replacesExistingFile = true
            _ = try await test.manager.download(request).ended().get()
            #expect(try test.manager.storedQueue().isEmpty)
        }
    }

    @Test func whatOnlyWaitedIsRestoredAsItWasEnqueued() throws {
        let first = try manager()
        var full = DownloadRequest(url("/full"))
        full.fileName = "named"
        full.directory = folder.url("elsewhere")
        full.priority = .low
        (full.expectedBytes, full.maximumBytes) = (5, 9)
        full.checksum = try Checksum("md5:900150983cd24fb0d6963f7d28e17f72")
        full.mirrors = [url("/mirror")]
        full.metalink = try PiecedFile.metalink([url("/full")])
        (full.naming, full.placement) = (.server, .urlFolders(cutting: 2))
        (full.connections, full.timeLimit) = (.exactly(2), .seconds(60))
        (full.replacesExistingFile, full.allowsInsecureRedirects) = (true, true)
        (full.checksForUpdate, full.skipsExistingFile, full.keepsServerTime) = (true, true, true)
        (full.maxBytesPerSecond, full.usesServerMetalink) = (1_000, true)
        full.repair = DownloadRequest.Repair()
        full.isChosenByDocument = true
        (full.headers, full.privateHeaders) = (["X-Secret": "1"], ["X-Secret"])
        full.clientCertificate = ClientCertificate(file: folder.url("client.pem"))
        first.manager.download([full, DownloadRequest(url("/plain"))])
        kill(first)

        let second = try manager()
        let restored = second.manager.restore()
        #expect(restored.map(\.url.path) == ["/full", "/plain"])
        let request = try #require(restored.first?.request)
        // All but secrets: a property that is new and not kept is found here.
        for (kept, (given, standard)) in zip(
            Mirror(reflecting: request.options).children,
            zip(Mirror(reflecting: full.options).children, Mirror(reflecting: RequestOptions()).children)
        ) {
            switch given.label {
            // The last is no wish, and said not to be kept.
            case "headers", "privateHeaders", "_clientCertificate", "asksOnly":
                #expect("\(kept.value)" == "\(standard.value)")
            case "_metalink":
                #expect(request.metalink?.storedPieces == full.metalink?.storedPieces)
                #expect(request.metalink?.storedPieces != nil)
            // In the place of a name: see `RelativePathTests`.
            case "relativePath": break
            case "directory": #expect(request.directory?.standardizedFileURL.path == folder.path("elsewhere"))
            default:
                #expect("\(kept.value)" == "\(given.value)")
                #expect("\(given.value)" != "\(standard.value)", "\(given.label ?? "")")
            }
        }
        // The old journal went when the new one had all.
        #expect(try journals.count == 1)
    }

    /// The text of one is used for the next if both say the same.
    @Test func eachOfManyIsRestoredWithItsOwnOptions() throws {
        let first = try manager()
        var named = DownloadRequest(url("/b"))
        named.fileName = "named"
        let common = try DownloadRequest(text: url("/d").absoluteString).withOptions(of: named)
        var mirrored = DownloadRequest(url("/e"))
        mirrored.mirrors = [url("/e"), url("/f")]
        let other = DownloadRequest(url("/f")).withOptions(of: mirrored)
        var own = common.withOptions(of: common)
        (own.url, own.maximumBytes) = (url("/g"), 5)
        let requests = [DownloadRequest(url("/a")), named, DownloadRequest(url("/c")), common, mirrored, other, own]
        first.manager.download(requests)
        kill(first)

        let restored = try manager().manager.restore().map(\.request)
        #expect(restored.map(\.url.path) == ["/a", "/b", "/c", "/d", "/e", "/f", "/g"])
        #expect(restored.map(\.fileName) == [nil, "named", nil, "named", nil, nil, "named"])
        #expect(restored.map { $0.mirrors.map(\.path) } == [[], [], [], [], ["/f"], ["/e"], []])
        #expect(restored.map(\.maximumBytes) == [nil, nil, nil, nil, nil, nil, 5])
    }

    /// A process that sees the end of its last download exits at once, and leaves no journal.
    @Test func anEndIsInTheJournalBeforeAnybodySeesIt() throws {
        let test = try manager()
        let found = Recorder<[String]>()
        let download = test.manager.download(url("/f"))
        #expect(try journals.count == 1)
        let observer = EndWitness {
            test.manager.journal?.removeIfDone()
            found.append((try? journals) ?? ["unreadable"])
        }
        #expect(download.add(observer))
        download.cancel()
        #expect(found.values == [[]])
    }

    /// Whoever cancels it: if the process is killed after that, the download is not restored.
    @Test func aCancellationIsWrittenAtOnce() async throws {
        let test = try manager()
        let manager = test.manager
        let downloads = manager.download(["/a", "/b", "/c"].map(url))
        downloads[0].cancel()
        #expect(try records.filter { $0.hasPrefix("-") } == ["- 1"])
        downloads[1].operation?.cancel()
        #expect(try records.filter { $0.hasPrefix("-") } == ["- 1", "- 2"])
        let reading = Task { [url = url("/d")] in for await _ in manager.results(of: [url]) {} }
        try await eventually("the loop's URL is enqueued") { manager[url("/d")] != nil }
        reading.cancel()
        try await withDeadline { await reading.value }
        #expect(try records.filter { $0.hasPrefix("-") } == ["- 1", "- 2", "- 4"])
    }

    @Test func queuesAreRestoredInTheirOrderAfterOtherPartialFiles() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1_000), for: $0).cut(after: 500) }
        let plain = try TestManager(folder: folder) { $0.retry = .never }
        _ = try await plain.manager.download(server.url("/z")).ended()
        let first = try manager()
        first.manager.download(["/c", "/a"].map(url))
        let second = try manager()
        var urgent = DownloadRequest(url("/urgent"))
        urgent.priority = .high
        second.manager.download([DownloadRequest(url("/b")), urgent])
        // While their managers live, nobody takes them over.
        let third = try manager()
        #expect(third.manager.restore().map(\.url.path) == ["/z"])
        third.manager.cancelAll()
        kill(first, second, third)
        let last = try manager()
        let restored = last.manager.restore()
        #expect(restored.map(\.url.path) == ["/z", "/c", "/a", "/b", "/urgent"])
        #expect(restored.map(\.progress.receivedBytes) == [500, 0, 0, 0, 0])
        #expect(last.manager.restore().isEmpty || last.manager.downloads.count == 5)
        #expect(try journals.count == 1)
    }

    @Test func aManagerThatGoesLeavesWhatIsPaused() async throws {
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.keepsQueue = true
        var first: DownloadManager? = DownloadManager(configuration: configuration)
        first?.feed.queue.isSuspended = true
        let download = try #require(first?.download(url("/paused")))
        download.pause()
        #expect(try journals.count == 1)
        first?.feed.queue.isSuspended = false
        first = nil
        let second = try manager()
        // The thread that released it last may still be closing its journal.
        try await eventually("the queue is there to be restored") {
            second.manager.restore().map(\.url.path) == ["/paused"]
        }
        withExtendedLifetime(download) {}
    }

    @Test func withoutTheSettingNothingIsWrittenOrTakenOver() throws {
        try leave("/a")
        let other = try manager(keepsQueue: false)
        #expect(other.manager.restore().isEmpty)
        other.manager.download(url("/b"))
        #expect(try journals.count == 1)
        #expect(try other.manager.storedQueue().map(\.url.path) == ["/a"])
        #expect(try other.manager.storedDownloads().isEmpty)
    }

    @Test func whatOtherFilesOfItsURLDoNotSatisfyIsWaiting() async throws {
        let server = try TestServer { request in
            let reply = Reply.file([1, 2, 3], for: request)
            return request.path == "/cut" ? reply.cut(after: 2) : reply
        }
        let elsewhere = try TemporaryFolder()
        let plain = try TestManager(folder: folder) { $0.retry = .never }
        let urls = ["/a", "/b", "/c", "/cut"].map { server.url($0) }
        for url in urls { _ = try await plain.manager.download(url).ended() }
        var requests = urls.map { DownloadRequest($0) }
        requests[0].fileName = "other"
        requests[1].directory = elsewhere.url
        requests[2].expectedBytes = 5
        requests[3].fileName = "whole"
        let test = try manager()
        test.manager.download(requests + [DownloadRequest(server.url("/d"))])
        _ = try await plain.manager.download(server.url("/d")).ended().get()
        #expect(try test.manager.storedQueue().map(\.url) == urls)
        // What has become of them since.
        for request in requests where request.expectedBytes == nil {
            _ = try await plain.manager.download(request).ended()
        }
        #expect(try test.manager.storedQueue().map(\.url) == [urls[2]])
    }

    @Test func deleteAllForgetsQueues() throws {
        try leave("/killed")
        let test = try manager()
        test.manager.download([url("/a"), url("/b")])
        try test.manager.deleteAll()
        #expect(try journals.isEmpty)
    }

    @Test func nothingSecretIsWritten() throws {
        let test = try manager()
        var request = DownloadRequest(try #require(URL(string: "http://user-SECRET:word-SECRET@host.test/f#SECRET")))
        request.headers = ["Authorization": "SECRET", "X-Plain": "SECRET"]
        request.privateHeaders = ["X-SECRET"]
        request.mirrors = [try #require(URL(string: "http://SECRET:SECRET@mirror.test/f"))]
        test.manager.download(request)
        let bytes = try Data(contentsOf: folder.url(try #require(try journals.first)))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("SECRET"))
        let line = "http://host.test/f\tmirror=http://mirror.test/f\toptions=o\n"
        #expect(String(decoding: bytes, as: UTF8.self).contains(line))
    }

    @Test func aJournalThatCannotBeWrittenKeepsNoDownloadFromRunning() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let blocked = folder.url("file")
        try Data("a file".utf8).write(to: blocked)
        let test = try TestManager(folder: folder) { configuration in
            configuration.keepsQueue = true
            configuration.directory = blocked
        }
        var request = DownloadRequest(server.url("/f"))
        request.directory = folder.url
        #expect(test.manager.queueFailure == nil)
        #expect(try await test.manager.download(request).ended().get() == folder.url("f"))
        #expect(test.manager.queueFailure?.code == .fileSystem)
    }

    @Test func noDownloadGetsTheNameOfAJournal() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try manager(isSuspended: false)
        let name = ".spate-queue-0123456789abcdef-0123456789abcdef"
        let file = try await test.manager.download(server.url("/\(name)")).ended().get()
        #expect(file.lastPathComponent == "_" + name.dropFirst())
        var request = DownloadRequest(server.url("/f"))
        request.fileName = name
        #expect(try await test.manager.download(request).ended().error?.code == .badFileName)
    }
}

/// Calls a closure when it is to note the end of a download.
private final class EndWitness: DownloadObserver {
    private let atEnd: @Sendable () -> Void
    let wantsProgress = false

    init(_ atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    func note(_ event: DownloadEvent, of download: Download) {
        if case .state(let state) = event, state.isTerminal { atEnd() }
    }

    func act() {}
}
