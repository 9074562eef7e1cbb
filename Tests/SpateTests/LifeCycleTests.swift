import Foundation
import Spate
import SpateTestSupport
import Testing

@Suite(.mostlyWaits) struct LifeCycleTests {
    @Test func aManagerIsIdleWhenAllHaveEndedOrArePaused() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        await test.manager.waitUntilIdle()
        let isCancelled = Recorder<Int>()
        let paused = test.manager.download(server.url("/paused"))
        let held = test.manager.download(server.url("/held"))
        let waiting = Task {
            await test.manager.waitUntilIdle()
            return held.state.isTerminal
        }
        let cancelled = Task {
            await test.manager.waitUntilIdle()
            isCancelled.append(test.manager.downloads.count)
        }
        cancelled.cancel()
        try await isCancelled.wait(until: { $0 == [2] })
        paused.pause()
        gate.open()
        #expect(await waiting.value && paused.result == nil && test.manager.downloads.count == 1)
        paused.resume()
        await test.manager.waitUntilIdle()
        #expect(try paused.result?.get() == test.folder.url("paused"))
    }

    /// A cancellation is a failure like others for whoever waits for the file.
    @Test(arguments: [false, true]) func theErrorOfACancellationSaysOfWhatAndWhetherThePartStays(
        isDeleted: Bool
    ) async throws {
        let server = try TestServer { .file(TestBytes.random(count: 3_000), for: $0).stalled(after: 1_000) }
        let test = try TestManager()
        let told = Recorder<DownloadError?>()
        let download = test.manager.download(server.url("/f?key=hidden"), completion: { told.append($0.error) })
        let operation = FetchOperation(download)
        operation.start()
        let delegate = FailureDelegate(told)
        test.manager.delegate = delegate
        try await eventually("some bytes") { download.progress.receivedBytes == 1_000 }
        if isDeleted { try download.delete() } else { download.cancel() }
        try await test.filesAreClosed()
        #expect(test.names == (isDeleted ? [] : ["f.part"]))
        try await told.wait(forCount: 2)
        for error in told.values + [download.error, download.result?.error, operation.result?.error] {
            #expect(error?.code == .cancelled && error?.url == server.url("/f"), "\(String(describing: error))")
            #expect(error?.keptPartialFile == !isDeleted)
        }
    }

    private final class FailureDelegate: DownloadManagerDelegate {
        private let told: Recorder<DownloadError?>

        init(_ told: Recorder<DownloadError?>) {
            self.told = told
        }

        func download(_ download: Download, didFailWith error: DownloadError) { told.append(error) }
    }

    @Test func aDownloadThatIsCancelledBeforeItHasBytesKeepsNone() async throws {
        let server = try TestServer { _ in .silence }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let downloads = test.manager.download([server.url("/a"), server.url("/b")])
        try await server.waitForRequests(1)
        test.manager.cancelAll()
        for download in downloads {
            #expect(download.error?.keptPartialFile == false && download.error?.url == download.url)
        }
    }

    /// What an attempt has not opened, it has not lost.
    @Test func anAttemptThatCannotOpenThePartLeavesIt() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 3_000), for: $0).stalled(after: 1_000) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        try await eventually("some bytes") { download.progress.receivedBytes == 1_000 }
        download.pause()
        try await test.filesAreClosed()
        let other = try FileHandle(forUpdating: test.folder.url("f.part"))
        #expect(flock(other.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        download.resume()
        let error = try await download.ended().error
        #expect(error?.code == .inUse && error?.keptPartialFile == true)
        try other.close()
        #expect(test.names == ["f.part"])
    }

    @Test func theLastBytesBeforeAStallAreReported() async throws {
        let content = TestBytes.random(count: 2_000_000)
        let server = try TestServer { .file(content, for: $0).stalled(after: 1_500_000) }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        let download = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 1_500_000 })
        download.cancel()
    }
}
