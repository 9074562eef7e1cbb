import Dispatch
import Foundation
import Locking
import TestSupport
import Testing

@testable import Spate

/// `DownloadManager.progress`, with servers.
@Suite(.takesTurns) struct ProgressOfAllTests {
    @Test func itCountsFilesAndBytesWhileTheyComeAndAfterTheEnd() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            if request.path == "/none" { return .status(404) }
            let reply = Reply.file(TestBytes.random(count: 1_000), for: request)
            return request.path == "/last" ? reply.gated(after: 500, gate) : reply
        }
        let test = try TestManager()
        #expect(test.manager.progress == DownloadManagerProgress(totalBytes: 0))
        let last = test.manager.download(server.url("/last"))
        let others = test.manager.download((0..<9).map { server.url("/f\($0)") } + [server.url("/none")])
        for download in others { _ = try await download.ended() }
        try await eventually("half of the last is there") { test.manager.progress.receivedBytes == 9_500 }
        let progress = test.manager.progress
        #expect(progress.finishedCount == 9 && progress.failedCount == 1 && progress.totalCount == 11)
        #expect(progress.totalBytes == 10_000)
        gate.open()
        _ = try await last.ended().get()
        let end = test.manager.progress
        #expect(end.description == "10 of 11 files, 10 kB, 1 failed")
        #expect(end.bytesPerSecond == 0 && end.timeRemaining == .zero)
        // The same files again: one call, which ends before it returns.
        let known = (0..<9).map { server.url("/f\($0)") }
        test.manager.download(known)
        #expect(test.manager.progress.description == "9 of 9 files, 9 kB")
        test.manager.download(DownloadRequest(try #require(URL(string: "ftp://host.test/f"))))
        #expect(test.manager.progress.description == "0 of 1 file, 0 B, 1 failed")
    }

    @Test func aLoopOverResultsCountsAsOne() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager()
        let urls = (0..<20).map { server.url("/f\($0)") }
        for _ in 0..<2 {
            var seen = 0
            for await (_, result) in test.manager.results(of: urls) where result.error == nil { seen += 1 }
            let progress = test.manager.progress
            #expect(seen == 20 && progress.finishedCount == 20 && progress.receivedBytes == 60)
        }
    }

    @Test func anExpectedSizeIsKnownAndAnotherMakesTheTotalUnknown() throws {
        let silent = try SilentManager()
        var request = DownloadRequest(silent.url("a"))
        request.expectedBytes = 1_000
        silent.manager.download(request)
        #expect(silent.manager.progress.totalBytes == 1_000)
        let other = silent.manager.download(silent.url("b"))
        #expect(silent.manager.progress.totalBytes == nil && silent.manager.progress.totalCount == 2)
        other.cancel()
        #expect(silent.manager.progress.totalBytes == 1_000 && silent.manager.progress.totalCount == 1)
    }

    @Test func bytesOfAnEarlierProcessCountAndMakeNoSpeed() async throws {
        let bytes = TestBytes.random(count: 300_000)
        let gates = [try Gate(), try Gate()]
        let visit = Watched(0)
        let server = try TestServer { request in
            let number = visit.update { count in
                defer { count += 1 }
                return count
            }
            let reply = Reply.file(bytes, etag: "\"a\"", for: request)
            return number == 0 ? reply.gated(after: 262_144, gates[0]) : reply.heldBack(by: gates[1])
        }
        let folder = try TemporaryFolder()
        do {
            let test = try TestManager(folder: folder)
            let download = test.manager.download(server.url("/f"))
            try await eventually("the first block") { test.manager.progress.receivedBytes == 262_144 }
            download.cancel()
            let operation = download.operation
            #expect(test.manager.progress == DownloadManagerProgress(totalBytes: 0) && operation == nil)
            try await eventually("its file is closed") { test.manager.table.withLock { $0.holders.isEmpty } }
        }
        let test = try TestManager(folder: folder)
        let download = try #require(test.manager.restore().first)
        #expect(test.manager.progress.description == "0 of 1 file, 262.1 kB of 300 kB")
        #expect(download.progress == DownloadProgress(receivedBytes: 262_144, totalBytes: 300_000))
        gates[1].open()
        _ = try await download.ended().get()
        #expect(test.manager.progress.description == "1 of 1 file, 300 kB")
    }

    @Test func aFileThatBeginsAgainCountsFromZero() async throws {
        let bytes = TestBytes.random(count: 1_000_000)
        let gate = try Gate()
        let server = try TestServer { request in
            let first = request.visit == 1
            return Reply.file(bytes, etag: first ? "\"a\"" : "\"b\"", for: request)
                .gated(after: first ? 524_288 : 262_144, gate)
        }
        let test = try TestManager { $0.connectionsPerDownload = .exactly(1) }
        let download = test.manager.download(server.url("/f"))
        try await eventually("half of it") { test.manager.progress.receivedBytes == 524_288 }
        download.pause()
        #expect(test.manager.progress.receivedBytes == 524_288)
        download.resume()
        try await eventually("a quarter of another") { test.manager.progress.receivedBytes == 262_144 }
        download.pause()
        #expect(
            test.manager.progress
                == DownloadManagerProgress(totalCount: 1, receivedBytes: 262_144, totalBytes: 1_000_000)
        )
        gate.open()
        download.resume()
        _ = try await download.ended().get()
        #expect(test.manager.progress.receivedBytes == 1_000_000)
    }

    @Test func readingItAsksNoneThatWaits() throws {
        let silent = try SilentManager()
        let downloads = silent.manager.download((0..<100).map { silent.url("f\($0)") })
        let waiting = try #require(downloads.last)
        // While this one cannot be asked.
        let count = waiting.core.withLock { _ in
            let (read, isRead) = (Locked(0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                read.withLock { $0 = silent.manager.progress.totalCount }
                isRead.signal()
            }
            _ = isRead.wait(timeout: .now() + 60)
            return read.withLock { $0 }
        }
        #expect(count == 100)
    }

    @Test func theSpeedDoesNotVanishBetweenSmallFiles() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file(TestBytes.random(count: 4_000), for: request)
            return request.path == "/last" ? reply.heldBack(by: gate) : reply
        }
        let test = try TestManager()
        let last = test.manager.download(server.url("/last"))
        try await gate.reached()
        // On a machine that is busy the window may be over before it is looked at. Not each time.
        var number = 0
        try await eventually("a speed while no file comes") {
            number += 1
            _ = try await test.manager.download(server.url("/f\(number)")).ended().get()
            let progress = test.manager.progress
            return progress.bytesPerSecond > 0 && progress.timeRemaining ?? .zero > .zero
        }
        #expect(last.progress.bytesPerSecond == 0 && test.manager.downloads.count == 1)
        gate.open()
        _ = try await last.ended().get()
        #expect(test.manager.progress.bytesPerSecond == 0)
    }
}
