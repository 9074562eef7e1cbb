import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct QueueObserverTests {
    /// Uses a download and its manager as it goes.
    private final class LastWord: Sendable {
        private let download = Watched<Download?>(nil)
        private let isGone: Watched<Bool>

        init(_ isGone: Watched<Bool>) { self.isGone = isGone }

        func note(_ download: Download) { self.download.update { $0 = download } }

        deinit {
            guard let download = download.value else { return }
            _ = (download.state, download.progress, download.manager?.downloads)
            download.resume()
            isGone.update { $0 = true }
        }
    }

    @Test func whatOnlyAClosureHoldsMayUseTheDownloadAsItIsReleased() async throws {
        for closure in ["progress", "completion"] {
            let test = try SilentManager()
            test.transport.letGo()
            let isGone = Watched(false)
            do {
                let word = LastWord(isGone)
                let download =
                    if closure == "progress" {
                        test.manager.download(test.url("f"), progress: { _ in withExtendedLifetime(word) {} })
                    } else {
                        test.manager.download(test.url("f"), completion: { _ in withExtendedLifetime(word) {} })
                    }
                word.note(download)
            }
            try await test.transport.started.wait(until: { $0 == 1 })
            test.manager.cancelAll()
            try await isGone.wait(for: "the release", until: { $0 })
        }
    }

    @Test func aSlowClosureGetsTheNewestProgressAndAnEndDoesNotWaitBehindOlderOnes() async throws {
        let test = try SilentManager()
        test.transport.letGo()
        let calls = Recorder<String>()
        test.callbacks.suspend()
        let download = test.manager.download(
            test.url("f"),
            progress: { calls.append("\($0.receivedBytes)") },
            completion: { _ in calls.append("end") }
        )
        try await test.transport.started.wait(until: { $0 == 1 })
        for bytes in 1...100 {
            download.core.withLock { core in
                _ = core.meter.advance(to: Int64(bytes), now: .now)
                _ = core.noteProgress(of: download, now: .now)
            }
        }
        download.cancel()
        test.callbacks.resume()
        #expect(try await calls.wait(forCount: 2) == ["100", "end"])
    }

    @Test func leavingALoopOverEventsLeavesNothingBehind() async throws {
        let test = try SilentManager()
        let download = test.pausedDownload("f")
        for _ in 0..<1_000 {
            for await _ in download.events { break }
            for await _ in test.manager.events { break }
        }
        try await eventually("no observers are left") {
            download.core.withLock { $0.observers.isEmpty } && test.manager.observers.isEmpty
        }
    }
}
