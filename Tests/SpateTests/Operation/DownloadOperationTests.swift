import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite struct DownloadOperationTests {
    /// "r" for ready, "e" for executing, "f" for finished, "c" for cancelled.
    private func flags(_ operation: Operation) -> String {
        [
            operation.isReady ? "r" : "", operation.isExecuting ? "e" : "", operation.isFinished ? "f" : "",
            operation.isCancelled ? "c" : "",
        ].joined()
    }

    /// An operation whose queue stands still.
    private func scene() throws -> (test: SilentManager, download: Download, operation: DownloadOperation) {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(test.url("f"))
        return (test, download, try #require(download.operation))
    }

    @Test func cancelledBeforeItsStartItFinishesWithoutAnAttempt() async throws {
        let (test, download, operation) = try scene()
        operation.cancel()
        #expect(flags(operation) == "rc" && Standing(download.state) == .cancelled)
        test.manager.feed.queue.isSuspended = false
        try await eventually("it finishes") { operation.isFinished }
        #expect(flags(operation) == "rfc" && test.transport.started.value == 0)
    }

    @Test func onlyItsQueueStartsItAndOnlyOnce() async throws {
        let (test, download, operation) = try scene()
        #expect(operation.isAsynchronous && operation.url == download.url)
        operation.start()
        #expect(flags(operation) == "r")
        test.manager.feed.queue.isSuspended = false
        try await test.transport.started.wait(until: { $0 == 1 })
        operation.start()
        download.cancel()
        try await eventually("it finishes") { operation.isFinished }
        operation.start()
        #expect(test.transport.started.value == 1 && flags(operation) == "rfc")
    }

    @Test func aDependencyHoldsBackItsStartAndComesTooLateAfterThat() async throws {
        let (test, download, operation) = try scene()
        let (first, late) = (BlockOperation {}, BlockOperation {})
        operation.addDependency(first)
        #expect(operation.dependencies == [first] && flags(operation).isEmpty)
        test.manager.feed.queue.isSuspended = false
        first.start()
        try await test.transport.started.wait(until: { $0 == 1 })
        operation.addDependency(late)
        #expect(operation.dependencies == [first] && flags(operation) == "re")
        download.cancel()
        try await eventually("it lets go of what it depended on") { operation.dependencies.isEmpty }
        operation.addDependency(late)
        #expect(operation.dependencies.isEmpty && operation.isFinished)
    }
}
