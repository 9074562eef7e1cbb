import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// The `Foundation.Progress` of one download.
@Suite(.takesTurns) struct ProgressObjectTests {
    private let queue = DispatchQueue(label: "test.progress")

    /// What a `Progress` shows, read on its queue when all that was planned there is done.
    private func fraction(of progress: Progress) -> Double { queue.sync { progress.fractionCompleted } }

    @Test func itIsIndeterminateThenCountsBytesAndIsFinishedWithTheFile() async throws {
        let (gate, rest) = (try Gate(), try Gate())
        let bytes = TestBytes.random(count: 200_000)
        let server = try TestServer { .file(bytes, for: $0).heldBack(by: gate).gated(after: 50_000, rest) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        let progress = download.makeProgress(on: queue)
        #expect(progress.isIndeterminate && progress.totalUnitCount == -1 && progress.completedUnitCount == 0)
        #expect(fraction(of: progress) == 0 && progress.kind == .file && progress.isCancellable && progress.isPausable)
        gate.open()
        try await eventually("the bytes are there") { download.progress.receivedBytes == 50_000 }
        #expect(!progress.isIndeterminate && progress.totalUnitCount == 200_000)
        #expect(progress.completedUnitCount == 50_000 && !progress.isFinished)
        try await eventually("the fraction has followed") { abs(fraction(of: progress) - 0.25) < 0.000_001 }
        #expect(progress.localizedAdditionalDescription.hasPrefix("50 kB of 200 kB"))
        #expect(progress.localizedDescription == "Downloading f")
        rest.open()
        let file = try await download.ended().get()
        #expect(progress.isFinished && progress.completedUnitCount == 200_000)
        try await eventually("the fraction is whole") { fraction(of: progress) == 1 }
        let info = progress.userInfo
        #expect(info[.fileURLKey] as? URL == file && info[.fileTotalCountKey] as? NSNumber == 1)
        #expect(info[.fileCompletedCountKey] as? Int == 1)
        #expect(info[.fileOperationKindKey] as? Progress.FileOperationKind == .downloading)
    }

    @Test(arguments: [0, 3])
    func aFileThatWasThereIsFinishedFromTheStart(size: Int) async throws {
        let server = try TestServer { .file(TestBytes.random(count: size), for: $0) }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        let progress = test.manager.download(server.url("/f")).makeProgress()
        #expect(progress.isFinished && !progress.isIndeterminate && progress.fractionCompleted == 1)
        #expect(progress.completedUnitCount == size && progress.totalUnitCount == size)
        let parent = Progress(totalUnitCount: 2)
        parent.addChild(progress, withPendingUnitCount: 1)
        #expect(parent.completedUnitCount == 1 && parent.fractionCompleted == 0.5)
    }

    @Test func itControlsTheDownloadAlsoThroughAParent() throws {
        let silent = try SilentManager()
        let download = silent.manager.download(silent.url("f"))
        let parent = Progress(totalUnitCount: 1)
        let progress = download.makeProgress()
        parent.addChild(progress, withPendingUnitCount: 1)
        for _ in 0..<20 {
            parent.pause()
            #expect(progress.isPaused)
            parent.resume()
            #expect(!progress.isPaused && !download.state.isTerminal)
        }
        progress.pause()
        #expect(progress.isPaused)
        parent.cancel()
        #expect(progress.isCancelled && download.state.isTerminal)
    }

    @Test func aParentThatWasCancelledCancelsWhatIsAddedToIt() throws {
        let silent = try SilentManager()
        let download = silent.manager.download(silent.url("f"))
        let parent = Progress(totalUnitCount: 1)
        parent.cancel()
        parent.addChild(download.makeProgress(), withPendingUnitCount: 1)
        #expect(download.state.isTerminal)
    }

    @Test func aHandlerOfTheUserDoesNotReplaceItsOwn() async throws {
        let silent = try SilentManager()
        let download = silent.manager.download(silent.url("f"))
        let progress = download.makeProgress()
        let called = Watched(false)
        progress.cancellationHandler = { called.update { $0 = true } }
        progress.cancel()
        #expect(download.state.isTerminal)
        try await called.wait(until: { $0 })
    }

    @Test func aParentOfManySizesIsRightToTheEnd() throws {
        // Sizes without common factors, a thousand steps each: Foundation's own sum of them is off by percents.
        let parent = Progress(totalUnitCount: 3)
        let sizes: [Int64] = [10_000_019, 10_000_079, 10_000_103]
        let sources = sizes.map { ScriptedSource(total: $0) }
        let children = sources.map { LiveProgress($0, ProgressUpdater(queue: queue)) }
        for child in children { parent.addChild(child, withPendingUnitCount: 1) }
        for step in 1...1000 {
            for (source, child) in zip(sources, children) {
                source.shown.update { $0.step = Double(step) / 1001 }
                child.update()
            }
            #expect(abs(parent.fractionCompleted - Double(step) / 1001) < 0.000_002)
        }
        for (source, child) in zip(sources, children) {
            // All bytes are there; the file is not yet in place.
            source.shown.update { $0.step = 1 }
            child.update()
            #expect(child.fractionCompleted < 1 && !child.isFinished)
            source.shown.update { $0.isFinished = true }
            child.update()
        }
        #expect(parent.isFinished && parent.completedUnitCount == 3 && parent.fractionCompleted == 1)
    }

    @Test func aReleasedOneIsNotKept() throws {
        let silent = try SilentManager()
        let download = silent.pausedDownload("f")
        weak var released: Progress?
        for _ in 0..<10 {
            let progress = download.makeProgress(on: queue)
            released = progress
        }
        queue.sync {}
        #expect(released == nil)
        download.resume()
        #expect(!download.state.isTerminal)
    }

    @Test func whatItsUserAddsToTheUserInfoIsThere() throws {
        let silent = try SilentManager()
        let progress = silent.pausedDownload("f").makeProgress()
        let key = ProgressUserInfoKey("own")
        progress.setUserInfoObject(5, forKey: key)
        #expect(progress.userInfo[key] as? Int == 5 && progress.userInfo[.fileTotalCountKey] as? Int == 1)
        progress.setUserInfoObject(nil, forKey: key)
        #expect(progress.userInfo[key] == nil && progress.userInfo[.throughputKey] == nil)
    }
}

/// A source that stands where a test puts it.
private final class ScriptedSource: ProgressSource {
    let shown = Watched((step: 0.0, isFinished: false))
    private let total: Int64

    init(total: Int64) {
        self.total = total
    }

    var reading: ProgressReading {
        let shown = shown.value
        return ProgressReading(
            progress: DownloadProgress(receivedBytes: Int64(Double(total) * shown.step), totalBytes: total),
            fraction: shown.step,
            isFinished: shown.isFinished
        )
    }

    var title: String { "" }
    func pause() {}
    func resume() {}
    func cancel() {}
    func remove(_ updater: ProgressUpdater) {}
}
