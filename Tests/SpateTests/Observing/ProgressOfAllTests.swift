import Dispatch
import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// `DownloadManager.progress`, with servers.
@Suite(.takesTurns) struct ProgressOfAllTests {
    /// And so does the `Progress` that Foundation has for it.
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
        let queue = DispatchQueue(label: "test.progress")
        let object = test.manager.makeProgress(on: queue)
        #expect(object.isIndeterminate && object.totalUnitCount == -1)
        let others = test.manager.download((0..<9).map { server.url("/f\($0)") } + [server.url("/none")])
        for download in others { _ = try await download.ended() }
        try await eventually("half of the last is there") { test.manager.progress.receivedBytes == 9_500 }
        let progress = test.manager.progress
        #expect(progress.finishedCount == 9 && progress.failedCount == 1 && progress.totalCount == 11)
        #expect(progress.totalBytes == 10_000)
        try await eventually("the object follows") { object.completedUnitCount == 9_500 }
        #expect(object.totalUnitCount == 10_000 && !object.isIndeterminate && !object.isFinished)
        #expect(object.userInfo[.fileTotalCountKey] as? Int == 10)
        #expect(object.userInfo[.fileCompletedCountKey] as? Int == 9)
        #expect(object.localizedDescription == "Downloading 10 files")
        try await eventually("the fraction") { queue.sync { abs(object.fractionCompleted - 0.95) < 0.000_002 } }
        gate.open()
        _ = try await last.ended().get()
        let end = test.manager.progress
        #expect(end.description == "10 of 11 files, 10 kB, 1 failed")
        #expect(end.bytesPerSecond == 0 && end.timeRemaining == .zero)
        #expect(object.isFinished)
        try await eventually("the fraction is whole") { queue.sync { object.fractionCompleted == 1 } }
        // The same files again: one call, which ends before it returns.
        test.manager.download((0..<9).map { server.url("/f\($0)") })
        #expect(test.manager.progress.description == "9 of 9 files, 9 kB")
        test.manager.download(DownloadRequest(try #require(URL(string: "ftp://host.test/f"))))
        #expect(test.manager.progress.description == "0 of 1 file, 0 B, 1 failed")
        #expect(object.completedUnitCount == 10_000 && object.isFinished, "it is of those before")
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
}
