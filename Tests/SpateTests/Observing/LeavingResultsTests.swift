import Foundation
import SpateFileSystemCalls
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// What becomes of downloads when a loop over their results is left.
@Suite(.takesTurns) struct LeavingResultsTests {
    private let silent: SilentManager

    init() throws {
        silent = try SilentManager()
    }

    private func urls(_ names: String...) -> [URL] { names.map { silent.url($0) } }

    /// Reads the results on a task, and returns when all were enqueued.
    private func reading(_ urls: [URL]) async throws -> Task<Void, Never> {
        let manager = silent.manager
        let task = Task { for await _ in manager.results(of: urls) {} }
        try await eventually("all are enqueued") { urls.allSatisfy { manager[$0] != nil } }
        return task
    }

    /// An error of the program's, which looks at the batch when it goes.
    private final class OwnError: Error {
        private let batch: Watched<Batch?>
        private let gone: Watched<Int>

        init(_ batch: Watched<Batch?>, made: Watched<Int>, gone: Watched<Int>) {
            (self.batch, self.gone) = (batch, gone)
            made.update { $0 += 1 }
        }

        deinit {
            _ = batch.value?.end
            gone.update { $0 += 1 }
        }
    }

    @Test func unreadErrorsAreReleasedWithNoLockHeld() async throws {
        let (batch, made, gone) = (Watched<Batch?>(nil), Watched(0), Watched(0))
        let test = try TestManager {
            $0.retry = .never
            $0.prepare = { _, _ in throw OwnError(batch, made: made, gone: gone) }
        }
        let urls = urls("a", "b", "c")
        let new = Batch(manager: test.manager) { batch in for url in urls { batch.enqueue(DownloadRequest(url)) } }
        batch.update { $0 = new }
        #expect(await new.next() != nil)
        // The first may have failed before the second is enqueued.
        try await eventually("all have failed") { made.value == 3 && test.manager.downloads.isEmpty }
        Thread.detachNewThread { new.end(early: .abandoned) }
        try await gone.wait(until: { $0 == 3 })
    }

    @Test func whatSomebodyElseEnqueuedGoesOn() async throws {
        let before = silent.manager.download(silent.url("before"))
        let reading = try await reading(urls("before", "own", "since"))
        let since = silent.manager.download(silent.url("since"))
        let own = try #require(silent.manager[silent.url("own")])
        reading.cancel()
        try await withDeadline { await reading.value }
        #expect(own.state.isTerminal && !before.state.isTerminal && !since.state.isTerminal)
        #expect(silent.manager.downloads.map(\.url.lastPathComponent) == ["before", "since"])
    }

    @Test func ofTwoLoopsTheLastToLeaveEndsIt() async throws {
        let first = try await reading(urls("a"))
        let second = try await reading(urls("a"))
        let download = try #require(silent.manager[silent.url("a")])
        try await eventually("both want it") { download.core.withLock { $0.callers } == 2 }
        first.cancel()
        try await withDeadline { await first.value }
        #expect(!download.state.isTerminal)
        second.cancel()
        try await withDeadline { await second.value }
        #expect(download.state.isTerminal)
    }

    @Test func breakEndsWhatIsLeftAndKeepsWhatIsThere() async throws {
        let server = try TestServer { $0.path == "/f" ? .file([1], for: $0) : .silence }
        let test = try TestManager()
        let urls = ["/slow", "/f", "/never"].map { server.url($0) }
        for try await (url, file) in test.manager.files(of: urls) {
            #expect(url == server.url("/f") && file == test.folder.url("f"))
            break
        }
        #expect(test.manager.downloads.isEmpty && test.names.contains("f"))
    }

    @Test func aCancelledTaskThrowsFromALoopOverFiles() async throws {
        let (manager, urls) = (silent.manager, urls("a"))
        let reading = Task {
            for try await _ in manager.files(of: urls) {}
        }
        try await eventually("it is enqueued") { !manager.downloads.isEmpty }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(manager.downloads.isEmpty)
    }

    /// A folder may take its time. The reader continues when nothing of the loop is left.
    @Test func aCancelledTaskWaitsForTheDownloadThatIsBeingEnqueued() async throws {
        let (isOpening, gate, native) = (Watched(false), try Gate(), Platform.native)
        var platform = native
        platform.openFolder = { path in
            isOpening.update { $0 = true }
            gate.pass()
            return native.openFolder(path)
        }
        let silent = try SilentManager(on: platform)
        let url = silent.url("a")
        let batch = Batch(manager: silent.manager) { $0.enqueue(DownloadRequest(url)) }
        let reading = Task { while await batch.next() != nil {} }
        try await isOpening.wait(until: { $0 })
        reading.cancel()
        try await eventually("the loop is over") { batch.end != nil }
        let isOpen = Watched(false)
        Task {
            // Time for a reader that would not wait.
            try? await Task.sleep(for: .milliseconds(50))
            isOpen.update { $0 = true }
            gate.open()
        }
        try await withDeadline { await reading.value }
        #expect(isOpen.value && silent.manager.downloads.isEmpty)
    }

    @Test func aTaskThatWasCancelledBeforeEnqueuesNothing() async throws {
        let (manager, urls) = (silent.manager, urls("a", "b"))
        let events = manager.events
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for await _ in manager.results(of: urls) {}
        }
        try await withDeadline { await reading.value }
        manager.download(silent.url("next"))
        var first = events.makeAsyncIterator()
        #expect(await first.next()?.download.url == silent.url("next"))
    }

    @Test func nothingIsEnqueuedByALoopThatWasNotBegun() throws {
        let results = silent.manager.results(of: urls("a"))
        _ = results.makeAsyncIterator()
        #expect(silent.manager.downloads.isEmpty)
    }
}
