import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// The `Foundation.Progress` of all of a manager.
@Suite(.takesTurns) struct ManagerProgressTests {
    private let queue = DispatchQueue(label: "test.progress")

    @Test func itPausesResumesAndCancelsAll() throws {
        let silent = try SilentManager()
        let downloads = (0..<5).map { silent.manager.download(silent.url("\($0)")) }
        let progress = silent.manager.makeProgress(on: queue)
        progress.pause()
        #expect(progress.isPaused && downloads.allSatisfy(\.state.isPaused))
        downloads[0].resume()
        #expect(!progress.isPaused)
        progress.resume()
        #expect(downloads.allSatisfy { !$0.state.isPaused })
        progress.cancel()
        #expect(progress.isCancelled && !progress.isFinished && silent.manager.downloads.isEmpty)
    }

    @Test func itIsFinishedAtOnceIfEverythingWasThereAlready() async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let test = try TestManager()
        #expect(!test.manager.makeProgress(on: queue).isFinished, "nothing has been enqueued yet")
        _ = try await test.manager.download(server.url("/f")).ended().get()
        test.manager.download(server.url("/f"))
        #expect(test.manager.makeProgress(on: queue).isFinished)
    }

    @Test func neitherHoldsTheOther() throws {
        let silent = try SilentManager()
        _ = silent.pausedDownload("f")
        weak var progress: Progress?
        do {
            let made = silent.manager.makeProgress(on: queue)
            progress = made
            #expect(!silent.manager.observers.isEmpty)
        }
        queue.sync {}
        #expect(progress == nil)
        silent.manager.cancelAll()
        #expect(silent.manager.observers.isEmpty)
    }

    @Test func oneThatGoesWhileDownloadsChangeTakesItsManagerWithItInPeace() async throws {
        // Whoever lets go of the last reference must hold no lock of a download.
        for _ in 0..<50 {
            let folder = try TemporaryFolder()
            var manager: DownloadManager? = .silent(in: folder)
            let url = try #require(URL(string: "http://host.test/f"))
            let download = try #require(manager?.download(url))
            download.pause()
            var progress = manager?.makeProgress(on: queue)
            manager = nil
            let done = Watched(false)
            DispatchQueue.global().async {
                for _ in 0..<20 {
                    download.resume()
                    download.pause()
                }
                done.update { $0 = true }
            }
            progress?.pause()
            progress = nil
            try await done.wait(until: { $0 })
            download.cancel()
        }
    }
}
