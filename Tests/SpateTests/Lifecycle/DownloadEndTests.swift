import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
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

    /// The next attempt may have to begin with less, so this must not come after it has started.
    @Test func whatAnAttemptHasBroughtIsToldBeforeItsEnd() async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let observer = NotingObserver()
        #expect(download.add(observer))
        download.note(.begins(at: 0, total: 10, nil), of: 1)
        for offset in Int64(1)...3 { download.note(.reached(offset, isAll: false), of: 1) }
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
        if getsIt { download.noteEnd(of: 1, FinishedAttempt(path: FinalPath(folder: "/", name: "a"), size: 1)) }
        #expect(Standing(download.state) == (getsIt ? .finished : .paused))
        test.transport.letGo()
    }

    /// What was asked of a file that is getting its name concerns no caller who comes later.
    @Test(arguments: [false, true]) func whoJoinsAFileThatIsGettingItsNameIsNotHeldUp(isCancelled: Bool) async throws {
        let test = try SilentManager()
        let download = test.manager.download(test.url("a"))
        try await test.transport.started.wait(until: { $0 == 1 })
        _ = try? download.publish(of: 1) { () throws(FileSystemError) -> String in
            isCancelled ? download.cancel() : download.pause()
            #expect(test.manager.download(test.url("a")) === download)
            throw FileSystemError(.rename, "/a", code: EEXIST)
        }
        #expect(Standing(download.state) == .running)
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
}
