import Dispatch
import Foundation
import Spate
import SpateTestSupport
import Testing

/// A screen of a program: all that it calls is called on the main actor, with the public names alone.
@Suite(.takesTurns) struct MainActorCallerTests {
    @MainActor
    private final class Screen: DownloadManagerDelegate {
        var finished: [String] = []

        nonisolated func download(_ download: Download, didFinishAt file: URL) {
            MainActor.assumeIsolated { finished.append(file.lastPathComponent) }
        }
    }

    @MainActor
    @Test func everythingMayBeUsedOnTheMainActor() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager { $0.callbackQueue = .main }
        let manager = test.manager
        let screen = Screen()
        manager.delegate = screen
        let urls = (0..<3).map { server.url("/\($0)") }

        var ended: [String] = []
        let events = manager.events
        for try await (url, file) in manager.files(of: urls) {
            ended.append(url.lastPathComponent)
            #expect(file == manager.fileURL(for: url))
        }
        for await (_, result) in manager.results(of: urls.map { DownloadRequest($0) }) { _ = try result.get() }
        #expect(ended.sorted() == ["0", "1", "2"])
        var seen: Set<String> = []
        for await (download, event) in events {
            if case .state(.finished) = event { seen.insert(download.url.lastPathComponent) }
            if seen.count == 3 { break }
        }

        let whole = Progress(totalUnitCount: 1)
        let download = manager.download(server.url("/more"))
        whole.addChild(download.makeProgress(on: .main), withPendingUnitCount: 1)
        let all: Progress = manager.makeProgress(on: .main)
        let fetch = FetchOperation(server.url("/fetched"), manager: manager)
        OperationQueue.main.addOperation(fetch)
        _ = try await download.file
        let haveHeard: @MainActor @Sendable () -> Bool = {
            whole.isFinished && fetch.isFinished && screen.finished.contains("fetched")
        }
        try await eventually("the main queue has told everybody", haveHeard)
        #expect(all.totalUnitCount >= -1 && whole.fractionCompleted == 1)
    }

    @MainActor
    @Test func theListInTheDocumentationFollowsTheEvents() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1, 2, 3], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let list = DownloadList(of: test.manager)
        let urls = (0..<3).map { server.url("/\($0)") }
        test.manager.download(urls)
        let isRunning: @MainActor @Sendable () -> Bool = {
            list.rows.count == 3 && list.rows.allSatisfy { $0.state.isRunning && $0.progress.receivedBytes == 0 }
        }
        try await eventually("every row has begun", isRunning)
        gate.open()
        let isComplete: @MainActor @Sendable () -> Bool = {
            list.rows.count == 3 && list.rows.allSatisfy { $0.state.isFinished && $0.progress.receivedBytes == 3 }
        }
        try await eventually("every row has its end", isComplete)
        #expect(Set(list.rows.map(\.url)) == Set(urls))
    }
}
