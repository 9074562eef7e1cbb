import Foundation
import HTTPSyntax
import HTTPTransport
import Locking
import TestSupport
import Testing

@testable import Spate

/// Slots, and which downloads get them, seen from a manager.
@Suite(.takesTurns) struct OperationFeedTests {
    @Test func asManyRunAsThereAreSlotsAndMoreWhenTheLimitGrows() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 2)
        let downloads = test.manager.download((0..<20).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 2 })
        test.manager.maxConcurrentDownloads = 7
        #expect(test.manager.maxConcurrentDownloads == 7)
        try await test.transport.started.wait(until: { $0 == 7 })
        try await eventually("seven run") {
            downloads.filter { Standing($0.state) == .running }.map(\.url) == (0..<7).map { test.url("\($0)") }
        }
    }

    @Test func afterTheLimitFellNoneStartsUntilFewerRun() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 4)
        test.transport.letGo()
        let downloads = test.manager.download((0..<8).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 4 })
        test.manager.maxConcurrentDownloads = 0
        #expect(test.manager.maxConcurrentDownloads == 1)
        for (turn, download) in downloads[..<3].enumerated() {
            download.cancel()
            try await eventually("its attempt has ended") {
                test.manager.table.withLock { $0.holders.count } == 3 - turn
            }
        }
        #expect(test.transport.started.value == 4)
        downloads[3].cancel()
        try await test.transport.started.wait(until: { $0 == 5 })
        try await eventually("the next runs") { Standing(downloads[4].state) == .running }
    }

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

    @Test func theOperationOfAWaitingDownloadThatIsCancelledFinishesWithoutAnAttemptWhenTheQueueComesToIt() async throws
    {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let first = test.manager.download(test.url("first"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let second = test.manager.download(test.url("second"))
        let operation = try #require(second.operation)
        second.cancel()
        #expect(operation.isCancelled && !operation.isExecuting && second.operation == nil)
        first.cancel()
        try await eventually("it finishes") { operation.isFinished }
        #expect(test.transport.started.value == 1)
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

    @Test func aDownloadWhoseOperationDependsOnOthersTakesNoSlotAndOthersPass() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let first = test.manager.download(test.url("first"))
        let second = test.manager.download(test.url("second"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let gate = BlockOperation {}
        try #require(second.operation).addDependency(gate)
        let third = test.manager.download(test.url("third"))
        first.cancel()
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(Standing(third.state) == .running && Standing(second.state) == .waitsForSlot)
        third.cancel()
        gate.start()
        try await test.transport.started.wait(until: { $0 == 3 })
        try await eventually("it runs") { Standing(second.state) == .running }
    }

    @Test(arguments: [true, false])
    func aDownloadIsEndedSafelyWhileItsOperationDependsOnOthers(cancels: Bool) async throws {
        let test = try SilentManager(maxConcurrentDownloads: 2)
        test.transport.letGo()
        // More than once, since what is freed too early is not always noticed.
        for turn in 0..<50 {
            test.manager.feed.queue.isSuspended = true
            let download = test.manager.download(test.url("\(turn)"))
            let gate = BlockOperation {}
            weak let operation = download.operation
            operation?.addDependency(gate)
            test.manager.feed.queue.isSuspended = false
            if cancels { download.cancel() } else { download.pause() }
            try await eventually("the operation is gone") { operation == nil }
            // The gate notifies those that depend on it.
            gate.start()
            #expect(gate.isFinished)
            download.cancel()
        }
        #expect(test.transport.started.value == 0)
        test.manager.download(test.url("after"))
        try await test.transport.started.wait(until: { $0 == 1 })
    }

    @Test func anOperationThatSomebodyAskedForCountsAsOneThatRuns() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 2)
        test.transport.letGo()
        let downloads = test.manager.download((0..<8).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 2 })
        // They are in the queue from now on, and the feed hands over the others.
        for download in downloads[4...] { #expect(download.operation?.isReady == true) }
        for turn in 3...8 {
            try #require(downloads.first { Standing($0.state) == .running }).cancel()
            try await test.transport.started.wait(until: { $0 == turn })
            #expect(downloads.count { Standing($0.state) == .running } <= 2)
        }
    }

    @Test func aHigherPriorityGetsTheNextSlot() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let downloads = test.manager.download((0..<4).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 1 })
        var request = DownloadRequest(test.url("urgent"))
        request.priority = .high
        let urgent = test.manager.download(request)
        downloads[0].cancel()
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(Standing(urgent.state) == .running && Standing(downloads[1].state) == .waitsForSlot)
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

    @Test func aDownloadThatIsResumedGoesBeforeThoseThatHaveNotBegun() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let downloads = test.manager.download((0..<4).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 1 })
        downloads[0].pause()
        try await test.transport.started.wait(until: { $0 == 2 })
        downloads[0].resume()
        downloads[1].cancel()
        try await test.transport.started.wait(until: { $0 == 3 })
        #expect(Standing(downloads[0].state) == .running && Standing(downloads[2].state) == .waitsForSlot)
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
