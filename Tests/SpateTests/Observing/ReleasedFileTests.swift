import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// `file(for:)`: cancelling the task releases the download.
@Suite(.takesTurns) struct ReleasedFileTests {
    private let silent: SilentManager
    private var manager: DownloadManager { silent.manager }

    init() throws {
        silent = try SilentManager()
    }

    /// Another use of a download.
    enum Use: CaseIterable, Sendable {
        case call, closure, task, awaitedFile, loop, stream, operation, operationOfDownload

        /// Begins it. It lasts as long as the returned value.
        func begin(of download: Download, by manager: DownloadManager) -> any Sendable {
            let url = download.url
            switch self {
            case .call: return manager.download(url)
            case .closure: return manager.download(url) { _ in }
            case .task: return Task { try await manager.file(for: url) }
            case .awaitedFile: return Task { try await download.file }
            case .loop: return Task { for await _ in manager.results(of: [url]) {} }
            case .stream: return download.events
            case .operation, .operationOfDownload:
                let operation = self == .operation ? FetchOperation(url, manager: manager) : FetchOperation(download)
                operation.start()
                return operation
            }
        }
    }

    /// Waits for a file on a task, and returns when its download is known.
    private func waiting(_ url: URL) async throws -> (task: Task<URL, any Error>, download: Download) {
        let manager = manager
        let task = Task { try await manager.file(for: url) }
        try await eventually("it is enqueued, and awaited") {
            manager[url]?.core.withLock { $0.observers.count } == 1
        }
        return (task, try #require(manager[url]))
    }

    @Test func theTasksEndIsTheDownloads() async throws {
        let (task, download) = try await waiting(silent.url("a"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(download.state.isCancelled && manager.downloads.isEmpty)
    }

    @Test(arguments: Use.allCases) func whatSomebodyElseUsesGoesOn(use: Use) async throws {
        let (task, download) = try await waiting(silent.url("a"))
        let isBegun = { download.core.withLock { $0.callers > 1 || $0.observers.count > 1 } }
        let other = use.begin(of: download, by: manager)
        try await eventually("the other has begun") { isBegun() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!download.hasEnded)
        withExtendedLifetime(other) {}
    }

    @Test func whatOnlyShowsADownloadDoesNotKeepIt() async throws {
        let (task, download) = try await waiting(silent.url("a"))
        let shows: [Any] = [download.makeProgress(), manager.events, manager.ends, manager.makeProgress(), download]
        let idle = Task { [manager] in await manager.waitUntilIdle() }
        try await eventually("somebody waits until it is idle") { download.core.withLock { $0.observers.count } == 3 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(download.state.isCancelled)
        try await withDeadline { await idle.value }
        withExtendedLifetime(shows) {}
    }

    @Test func aTaskThatWasCancelledBeforeEnqueuesNothing() async throws {
        let (manager, url, events) = (manager, silent.url("a"), manager.events)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await manager.file(for: url)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        manager.download(silent.url("next"))
        var first = events.makeAsyncIterator()
        #expect(await first.next()?.download.url == silent.url("next"))
    }

    @Test func itReturnsTheFileOrThrowsTheFailure() async throws {
        let server = try TestServer { $0.path == "/f" ? .file([1], for: $0) : .status(404) }
        let test = try TestManager()
        #expect(try await test.manager.file(for: server.url("/f")) == test.folder.url("f"))
        let named = DownloadRequest(server.url("/f"), fileName: "named")
        #expect(try await test.manager.file(for: named) == test.folder.url("named"))
        let error = await #expect(throws: DownloadError.self) { try await test.manager.file(for: server.url("/gone")) }
        #expect(error?.statusCode == 404)
    }

    /// Nothing of it is restored, even if the process is killed right after.
    @Test func aReleasedDownloadLeavesTheQueue() async throws {
        let server = try TestServer { _ in .silence }
        let test = try TestManager { $0.keepsQueue = true }
        let (manager, url) = (test.manager, server.url("/a"))
        let task = Task { try await manager.file(for: url) }
        try await server.waitForRequests(1)
        #expect(try manager.storedQueue().map(\.url) == [url])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try manager.storedQueue().isEmpty)
    }
}
