import Foundation
import PartialFiles
import TestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct QueueJournalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A manager in the folder. Its downloads wait: nothing is started before the test lets it.
    private func manager(isSuspended: Bool = true, keepsQueue: Bool = true) throws -> TestManager {
        let test = try TestManager(folder: folder) { $0.keepsQueue = keepsQueue }
        test.manager.feed.queue.isSuspended = isSuspended
        return test
    }

    private func url(_ path: String) -> URL {
        URL(string: "http://host.test\(path)") ?? folder.url(path)
    }

    private var journals: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".spate-queue-") }
        }
    }

    /// As a process that is killed leaves the folder: its journals have nobody who has locked them.
    private func kill(_ tests: TestManager...) {
        for test in tests {
            test.manager.journal?.close()
            test.manager.cancelAll()
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
        full.connections = .exactly(2)
        (full.replacesExistingFile, full.allowsInsecureRedirects) = (true, true)
        (full.checksForUpdate, full.skipsExistingFile, full.keepsServerTime) = (true, true, true)
        full.maxBytesPerSecond = 1_000
        (full.headers, full.privateHeaders) = (["X-Secret": "1"], ["X-Secret"])
        first.manager.download([full, DownloadRequest(url("/plain"))])
        kill(first)

        let second = try manager()
        let restored = second.manager.restore()
        #expect(restored.map(\.url.path) == ["/full", "/plain"])
        let request = try #require(restored.first?.request)
        // All but secrets: a property that is new and not kept is found here.
        for (kept, (given, standard)) in zip(
            Mirror(reflecting: request).children,
            zip(Mirror(reflecting: full).children, Mirror(reflecting: DownloadRequest(url("/full"))).children)
        ) {
            switch given.label {
            case "headers", "privateHeaders": #expect("\(kept.value)" == "\(standard.value)")
            case "directory": #expect(request.directory?.standardizedFileURL.path == folder.path("elsewhere"))
            default:
                #expect("\(kept.value)" == "\(given.value)")
                #expect(given.label == "url" || "\(given.value)" != "\(standard.value)", "\(given.label ?? "")")
            }
        }
        // The old journal went when the new one had all.
        #expect(try journals.count == 1)
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
        #expect(last.manager.restore().map(\.url.path) == ["/z", "/c", "/a", "/b", "/urgent"])
        #expect(last.manager.restore().isEmpty || last.manager.downloads.count == 5)
        #expect(try journals.count == 1)
    }

    @Test func aRestoredDownloadHasTheProgressOfItsPartialFile() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 1_000), for: $0).cut(after: 500) }
        let plain = try TestManager(folder: folder) { $0.retry = .never }
        _ = try await plain.manager.download(server.url("/a")).ended()
        let first = try manager()
        first.manager.download([server.url("/a"), server.url("/b")])
        kill(first)
        let second = try manager()
        #expect(second.manager.restore().map(\.progress.receivedBytes) == [500, 0])
    }

    @Test func whatHasEndedIsNotRestoredAndWhatIsPausedIs() async throws {
        let server = try TestServer { request in
            request.path == "/failed" ? .status(404) : .file([1, 2, 3], for: request)
        }
        let first = try manager(isSuspended: false)
        _ = try await first.manager.download(server.url("/finished")).ended()
        _ = try await first.manager.download(server.url("/failed")).ended()
        first.manager.feed.queue.isSuspended = true
        first.manager.download(server.url("/cancelled")).cancel()
        first.manager.download(server.url("/paused")).pause()
        try first.manager.download(server.url("/deleted")).delete()
        kill(first)
        let second = try manager()
        #expect(second.manager.restore().map(\.url.path) == ["/paused"])
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

    @Test func aURLOfTwoQueuesIsRestoredOnce() throws {
        let (first, second) = (try manager(), try manager())
        for test in [first, second] { test.manager.download(["/a", "/b"].map(url)) }
        kill(first, second)
        let third = try manager()
        #expect(third.manager.restore().map(\.url.path) == ["/a", "/b"])
    }

    @Test func withoutTheSettingNothingIsWrittenOrTakenOver() throws {
        let first = try manager()
        first.manager.download(url("/a"))
        kill(first)
        let other = try manager(keepsQueue: false)
        #expect(other.manager.restore().isEmpty)
        other.manager.download(url("/b"))
        #expect(try journals.count == 1)
        #expect(try other.manager.storedQueue().map(\.url.path) == ["/a"])
        #expect(try other.manager.storedDownloads().isEmpty)
    }

    @Test func aFolderWithNothingLeftToDoHasNoJournal() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let killed = try manager()
        killed.manager.download(server.url("/f"))
        kill(killed)
        let test = try manager(isSuspended: false)
        let made = try journals.count
        for index in 0..<5 { _ = try await test.manager.download(server.url("/\(index)")).ended() }
        // They shared one journal, which goes soon.
        #expect(try journals.count <= made + 1)
        try await eventually("the journal is removed") { try journals.count == made }
        // That of the killed run goes with this manager's, when its file has been fetched.
        _ = try await test.manager.download(server.url("/f")).ended()
        test.manager.journal?.close()
        #expect(try journals.isEmpty)
    }

    @Test func deleteAllForgetsQueues() throws {
        let killed = try manager()
        killed.manager.download(url("/killed"))
        kill(killed)
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
        #expect(String(decoding: bytes, as: UTF8.self).contains("http://host.test/f\tmirror=http://mirror.test/f\n"))
    }

    @Test func secretsCanBeAddedWhenTheQueueIsRestored() throws {
        let first = try manager()
        first.manager.download(url("/a"))
        kill(first)
        let second = try manager()
        let restored = second.manager.restore { $0.headers["Authorization"] = "token" }
        #expect(restored.map(\.request.headers) == [["Authorization": "token"]])
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

    @Test func damageCostsOnlyItsRecord() throws {
        let first = try manager()
        first.manager.download(["/a", "/b", "/c"].map(url))
        kill(first)
        let name = try #require(try journals.first)
        let lines = try String(contentsOf: folder.url(name), encoding: .utf8).split(separator: "\n")
        try Data("\(lines[0])\n\(lines[1].dropLast())\n\(lines[2])\n\(lines[0].prefix(20))".utf8).write(
            to: folder.url(name)
        )
        let second = try manager()
        #expect(second.manager.restore().map(\.url.path) == ["/a", "/c"])
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

    @Test func veryManyAreEnqueuedAndRestored() throws {
        let count = 20_000
        let first = try manager()
        first.manager.download((0..<count).lazy.map { url("/file-\($0).bin") })
        let name = try #require(try journals.first)
        let size = try #require(try folder.url(name).resourceValues(forKeys: [.fileSizeKey]).fileSize)
        #expect(size < 64 * count)
        kill(first)
        let second = try manager()
        let restored = second.manager.restore()
        #expect(restored.count == count && restored.last?.url.path == "/file-\(count - 1).bin")
    }

    @Test func aJournalIsCompactedToWhatIsLeft() throws {
        let directory = DownloadDirectory(path: folder.path)
        let journal = QueueJournal(in: directory, syncAfter: nil, leastEnded: 10)
        for number in UInt64(1)...30 {
            journal.add(number, JournalEntry(url: "http://host.test/\(number)"), isOneOfMany: true)
        }
        for number in UInt64(2)...29 { journal.end(number) }
        journal.tidyUp()
        let name = try #require(try journals.first)
        let text = try String(contentsOf: folder.url(name), encoding: .utf8)
        #expect(text.split(separator: "\n").count == 2)
        journal.end(1)
        journal.write()
        var left: [String] = []
        try directory.forEachJournalEntry { entry, _ in left.append(entry.url) }
        #expect(left == ["http://host.test/30"])
        // It is locked like the one before.
        #expect(directory.takeJournals().isEmpty)
        journal.close()
        #expect(directory.takeJournals().count == 1)
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
