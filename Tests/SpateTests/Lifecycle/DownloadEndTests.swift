import Foundation
import HTTPResumption
import Locking
import PartialFiles
import TestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct DownloadEndTests {
    @Test func cancellingATaskThatWaitsLeavesTheDownloadAndTheOthersAlone() async throws {
        let test = try SilentManager()
        let download = test.pausedDownload("a")
        let impatient = Task { try await download.file }
        let patient = Task { try await download.file }
        impatient.cancel()
        await #expect(throws: CancellationError.self) {
            try await withDeadline { try await impatient.value }
        }
        #expect(Standing(download.state) == .paused)
        download.cancel()
        await #expect(throws: DownloadError.self) { try await withDeadline { try await patient.value } }
    }

    @Test func cancellationAgainstTheEndAnswersEveryWaiterOnce() async throws {
        let test = try SilentManager()
        for turn in 0..<100 {
            let download = test.pausedDownload("f\(turn)")
            let tasks = (0..<8).map { _ in Task { try await download.file } }
            let canceller = Task { for task in tasks { task.cancel() } }
            download.cancel()
            await canceller.value
            let results = try await withDeadline {
                var results: [Result<URL, any Error>] = []
                for task in tasks { results.append(await task.result) }
                return results
            }
            for case .success in results { Issue.record("there is no file") }
            for case .failure(let error) in results {
                #expect(error is CancellationError || (error as? DownloadError)?.code == .cancelled)
            }
        }
    }

    /// The next attempt may have to begin with less, so this must not come after it has started.
    @Test func whatAnAttemptHasBroughtIsToldBeforeItsEnd() async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let observer = NotingObserver()
        #expect(download.add(observer))
        download.note(.begins(at: 0, total: 10), of: 1)
        for offset in Int64(1)...3 { download.note(.reached(offset), of: 1) }
        let error = DownloadError(.connectionFailed, "The connection broke.", isRetryable: true)
        download.note(.failed(error, FailedAttempt(reached: 3, ResumeHistory())), of: 1)
        #expect(observer.events.values.suffix(2) == ["3", "waiting"])
        download.cancel()
    }

    /// A file system may take as long as it likes for it, and may not do it in the end.
    @Test(arguments: [false, true]) func aFileThatIsGettingItsNameHoldsNobodyUp(getsIt: Bool) async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let path = try? download.publish(of: 1) { () throws(FileSystemError) in
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                download.pause()
                #expect(Standing(download.state) == .running)
                isDone.signal()
            }
            #expect(isDone.wait(timeout: .now() + 20) == .success)
            if !getsIt { throw FileSystemError(.rename, "/a", code: EEXIST) }
            return "/a"
        }
        #expect(path == (getsIt ? "/a" : nil))
        #expect(Standing(download.state) == (getsIt ? .running : .paused))
        if getsIt { download.note(.finished(FinishedAttempt(path: "/a", size: 1)), of: 1) }
        #expect(Standing(download.state) == (getsIt ? .finished : .paused))
        test.transport.letGo()
    }

    private final class NotingObserver: DownloadObserver {
        let events = Recorder<String>()
        let wantsProgress = true

        func note(_ event: DownloadEvent, of download: Download) {
            switch event {
            case .progress(let progress): events.append("\(progress.receivedBytes)")
            case .state(.waiting): events.append("waiting")
            case .state(let state): events.append("\(state)")
            }
        }

        func act() {}
    }

    /// Until its folder is synced.
    @Test func onlyADeletionEndsADownloadWhoseFileHasItsName() async throws {
        let test = try SilentManager()
        for (turn, isDeleted) in [false, true].enumerated() {
            let download = test.manager.download(test.url("\(turn)"))
            try await test.transport.started.wait(until: { $0 == turn + 1 })
            #expect(download.publish(of: 1) { "/f" } == "/f" && Standing(download.state) == .running)
            download.pause()
            download.cancel()
            if isDeleted { try test.manager.delete(download.url) }
            #expect(Standing(download.state) == (isDeleted ? .cancelled : .running))
            download.note(.finished(FinishedAttempt(path: "/f", size: 1)), of: 1)
            #expect(Standing(download.state) == (isDeleted ? .cancelled : .finished))
        }
    }

    @Test func waitersCompletionsAndEventsAreNotifiedOfAnEndOnceEach() async throws {
        let test = try SilentManager()
        let told = Recorder<DownloadError.Code?>()
        let download = test.manager.download(test.url("once"), completion: { told.append($0.error?.code) })
        download.pause()
        test.manager.download(test.url("once"), completion: { told.append($0.error?.code) })
        let states = Task {
            var states: [Standing] = []
            for await event in download.events { if case .state(let state) = event { states.append(Standing(state)) } }
            return states
        }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in download.cancel() }
        #expect(try await told.wait(forCount: 2) == [.cancelled, .cancelled])
        let ends = try await withDeadline { await states.value }.filter(\.isTerminal)
        #expect(ends == [.cancelled])
        await test.callbacksAreDone()
        #expect(told.values.count == 2)
    }

    @Test func oneClosureGetsTheEndOfEachOfManyRequests() async throws {
        let server = try TestServer { $0.path == "/bad" ? .status(404) : .file([1], for: $0) }
        let test = try TestManager()
        let ended = Locked<[String]>([])
        let requests = ["/a", "/bad", "/a"].map { DownloadRequest(server.url($0)) }
        let downloads = test.manager.download(requests) { download, result in
            ended.withLock { $0.append("\(download.url.path) \(result.error?.code == nil)") }
        }
        #expect(downloads.map(\.url.path) == ["/a", "/bad", "/a"])
        try await eventually("three ends") { ended.withLock { $0.count } == 3 }
        #expect(ended.withLock { $0.sorted() } == ["/a true", "/a true", "/bad false"])
    }

    @Test func aCancellationDuringEnqueueingReachesTheCompletion() async throws {
        let test = try SilentManager()
        let told = Watched(0)
        let isDone = Watched(false)
        Thread.detachNewThread { while !isDone.value { test.manager.cancelAll() } }
        let count = 1_000
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for turn in 0..<count {
                    test.manager.download(test.url("\(turn)"), completion: { _ in told.update { $0 += 1 } })
                }
                isDone.update { $0 = true }
                continuation.resume()
            }
        }
        test.manager.cancelAll()
        try await told.wait(for: "every end", until: { $0 == count })
    }

    @Test func aPausedDownloadHasNoSpeed() async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("f"))
        try await test.transport.started.wait(until: { $0 == 1 })
        download.core.withLock { core in
            let now = ContinuousClock.now
            core.meter.begin(at: 0, total: 1_000_000_000, now: now - .seconds(1))
            _ = core.meter.advance(to: 500_000_000, now: now)
        }
        #expect(download.progress.bytesPerSecond > 0)
        download.pause()
        #expect(download.progress.bytesPerSecond == 0 && download.progress.timeRemaining == nil)
    }

    @Test func readersThatWentAwayAreForgotten() async throws {
        let test = try SilentManager()
        let download = test.pausedDownload("watched")
        for _ in 0..<100 {
            let reader = Task { for await _ in download.events {} }
            reader.cancel()
            await reader.value
        }
        #expect(download.core.withLock { $0.observers.isEmpty })
    }
}
