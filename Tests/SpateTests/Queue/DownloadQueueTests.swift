import Foundation
import HTTPTransport
import Locking
import TestSupport
import Testing

@testable import Spate

/// Places, and who gets them, seen from a manager.
@Suite struct DownloadQueueTests {
    @Test func soManyRunAsThereArePlacesAndMoreWhenThereAreMore() async throws {
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

    @Test func noneStartsUntilFewerRunThanThereArePlaces() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 4)
        test.transport.letGo()
        let downloads = test.manager.download((0..<8).map { test.url("\($0)") })
        try await test.transport.started.wait(until: { $0 == 4 })
        test.manager.maxConcurrentDownloads = 0
        #expect(test.manager.maxConcurrentDownloads == 1)
        for (turn, download) in downloads[..<3].enumerated() {
            download.cancel()
            try await eventually("its attempt has ended") {
                test.manager.registry.withLock { $0.executing } == 3 - turn
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

    @Test func anOperationOfADownloadThatIsCancelledInTheLineFinishesAtOnceWithoutAnAttempt() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.manager.download(test.url("first"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let second = test.manager.download(test.url("second"))
        let operation = try #require(second.operation)
        second.cancel()
        #expect(operation.isCancelled && operation.isFinished && !operation.isExecuting)
        #expect(second.operation == nil && test.transport.started.value == 1)
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
        try await eventually("it has finished") { operation.isFinished }
        if number == 0 { try await test.transport.started.wait(until: { $0 == 2 }) }
        #expect(Standing(downloads[1 - number].state) == .running)
    }

    @Test func anOperationThatDependsOnOthersGetsItsPlaceAfterThem() async throws {
        let test = try SilentManager(maxConcurrentDownloads: 1)
        test.transport.letGo()
        let first = test.manager.download(test.url("first"))
        let second = test.manager.download(test.url("second"))
        try await test.transport.started.wait(until: { $0 == 1 })
        let opens = BlockOperation {}
        try #require(second.operation).addDependency(opens)
        let third = test.manager.download(test.url("third"))
        first.cancel()
        try await test.transport.started.wait(until: { $0 == 2 })
        #expect(Standing(third.state) == .running && Standing(second.state) == .waitsForSlot)
        third.cancel()
        opens.start()
        try await test.transport.started.wait(until: { $0 == 3 })
        try await eventually("it runs") { Standing(second.state) == .running }
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

    @Test func whatIsCancelledInTheLineIsLetGoOfThoughNoPlaceBecomesFree() async throws {
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

extension Registry {
    /// How many attempts hold a file.
    var executing: Int { slots.values.count { $0.holder != nil } }
}

private struct WeakDownload {
    weak var download: Download?

    init(_ download: Download) { self.download = download }
}
