import Foundation
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// Slots, and which downloads get them, seen from a manager.
@Suite(.takesTurns) struct OperationFeedTests {
    @Test func anOperationThatIsAskedForIsTheOneThatRuns() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let first = test.manager.download(test.url("first"))
        let second = test.manager.download(test.url("second"))
        let operation = try #require(second.operation)
        #expect(second.operation === operation && !operation.isExecuting && operation.isReady)
        let seen = Recorder<Bool>()
        let dependent = BlockOperation { seen.append(operation.isFinished) }
        dependent.addDependency(operation)
        let queue = OperationQueue()
        queue.addOperation(dependent)
        try await test.transport.started.wait(until: { $0 == 1 })
        first.cancel()
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(second.operation === operation && operation.isExecuting && seen.values.isEmpty)
        second.cancel()
        #expect(try await seen.wait(forCount: 1) == [true])
    }

    @Test(arguments: [0, 1])
    func whoCancelsTheOperationOfADownloadCancelsTheDownload(number: Int) async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let downloads = test.manager.download([test.url("runs"), test.url("waits"), test.url("next")])
        try await test.transport.started.wait(until: { $0 == 1 })
        let operation = try #require(downloads[number].operation)
        operation.cancel()
        #expect(Standing(downloads[number].state) == .cancelled)
        if number == 0 { try await test.transport.started.wait(until: { $0 == 2 }) }
        #expect(Standing(downloads[1 - number].state) == .running)
        // One that waits passes the queue when a slot is free.
        downloads[1 - number].cancel()
        try await eventually("it has finished") { operation.isFinished }
    }

    // In a process of its own: the pool stays blocked.
    @Test func downloadsNeedNoThreadOfTheSharedPool() async throws {
        await #expect(processExitsWith: .success) {
            // More than the pool ever has threads: what comes after these never runs.
            for _ in 0..<1_000 { DispatchQueue.global().async { DispatchSemaphore(value: 0).wait() } }
            let folder = try TemporaryFolder()
            var configuration = DownloadManager.Configuration()
            configuration.directory = folder.url
            configuration.retry.firstDelay = .milliseconds(1)
            let manager = DownloadManager(configuration: configuration, in: Surroundings(transport: PromptTransport()))
            let isOver = DispatchGroup()
            for number in 0..<40 {
                isOver.enter()
                manager.download(try #require(URL(string: "http://host.test/\(number)"))) { result in
                    if case .success = result { isOver.leave() }
                }
            }
            if isOver.wait(timeout: .now() + .seconds(600)) == .timedOut { exit(1) }
        }
    }

    @Test func cancelledDownloadsInTheLineAreReleasedThoughNoSlotBecomesFree() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.manager.download(test.url("first"))
        try await test.transport.started.wait(until: { $0 == 1 })
        var gone: [WeakDownload] = []
        for number in 0..<1000 { gone.append(WeakDownload(test.manager.download(test.url("\(number)")))) }
        for number in 0..<1000 { test.manager.cancel(test.url("\(number)")) }
        let left = gone.filter { $0.download != nil }.count
        #expect(left < 64)
    }

    @Test func manyThatEndAtOnceNeitherNestNorGetLost() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 3)
        let ends = Watched(0)
        // Each attempt fails as it begins: nothing can be made in a folder that is a file.
        var request = DownloadRequest(test.url("x"))
        request.directory = URL(fileURLWithPath: "/dev/null/folder", isDirectory: true)
        for number in 0..<5000 {
            request.url = test.url("\(number)")
            test.manager.download(request) { _ in ends.update { $0 += 1 } }
        }
        try await ends.wait(until: { $0 == 5000 })
        #expect(test.transport.started.value == 0)
        test.manager.download(test.url("after"))
        try await test.transport.started.wait(until: { $0 == 1 })
    }
}

private struct WeakDownload {
    weak var download: Download?

    init(_ download: Download) { self.download = download }
}

/// A transport whose first transfer for each URL breaks, and whose second brings a file. It has a thread for each.
private final class PromptTransport: Transport {
    private let seen = Locked<Set<String>>([])

    func start(_ request: TransportRequest, sink: any TransportSink) -> any Transfer {
        let isFirst = seen.withLock { $0.insert(request.url.text).inserted }
        Thread.detachNewThread {
            if isFirst { return sink.end(.failed(TransportError(.broken, detail: ""))) }
            var head = ResponseHead(status: 200)
            head.fields.append(name: "Content-Length", value: "4")
            _ = sink.receive(head: head)
            _ = Array("file".utf8).withUnsafeBytes { sink.receive(bytes: $0, isLast: false) }
            sink.end(.complete)
        }
        return NoTransfer()
    }
}

private struct NoTransfer: Transfer {
    func cancel() {}
}
