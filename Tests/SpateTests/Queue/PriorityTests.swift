import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// `Download.priority`: a download that waits moves in the line.
@Suite(.takesTurns) struct PriorityTests {
    private let silent: SilentManager

    /// - Parameter perHost: how many connections to a host there may be.
    private init(perHost: Int?) throws {
        silent = try SilentManager(maxConcurrentDownloads: 1, maxConnectionsPerHost: perHost)
    }

    init() throws { try self.init(perHost: nil) }

    /// Ends one download after the other, and returns their names in the order in which they ran.
    private func order(of downloads: [Download]) async throws -> [String] {
        var names: [String] = []
        while !downloads.allSatisfy(\.hasEnded) {
            try await eventually("one runs") { downloads.contains { $0.state == .running } }
            for download in downloads where download.state == .running {
                names.append(download.url.lastPathComponent)
                download.cancel()
            }
            silent.transport.letGo()
        }
        try await eventually("nothing is held") { silent.manager.holdings == DownloadManager.Holdings() }
        return names
    }

    @Test func aDownloadThatWaitsMoves() async throws {
        let downloads = silent.manager.download(["a", "b", "c", "d", "e"].map { silent.url($0) })
        try await eventually("the first runs") { downloads[0].state == .running }
        downloads[4].priority = .high
        downloads[1].priority = .veryLow
        downloads[3].priority = .high
        #expect(downloads.map(\.priority) == [.normal, .veryLow, .normal, .high, .high])
        #expect(try await order(of: downloads) == ["a", "e", "d", "c", "b"])
    }

    /// Its former places are stale, also that at which it stands again.
    @Test func itRunsOnceHoweverOftenItMoves() async throws {
        let downloads = silent.manager.download(["a", "b", "c"].map { silent.url($0) })
        try await eventually("the first runs") { downloads[0].state == .running }
        for priority in [.high, .normal, .high, .low, .high] as [Operation.QueuePriority] {
            downloads[2].priority = priority
        }
        #expect(try await order(of: downloads) == ["a", "c", "b"])
        // One that is cancelled as soon as it runs may not have come to its transfer.
        #expect(silent.transport.started.value <= 3)
    }

    @Test func itMovesInTheLineOfItsHost() async throws {
        let test = try PriorityTests(perHost: 1)
        let silent = test.silent
        silent.manager.maxConcurrentDownloads = 3
        let downloads = silent.manager.download(["a", "b", "c"].map { silent.url($0) })
        try await eventually("the others wait for their host") {
            downloads.map(\.state) == [.running, .waiting(.host), .waiting(.host)]
        }
        downloads[2].priority = .high
        #expect(try await test.order(of: downloads) == ["a", "c", "b"])
    }

    /// An operation that a caller asked for is in the queue already.
    @Test func itsOperationHasItsPriority() async throws {
        let downloads = silent.manager.download(["a", "b", "c"].map { silent.url($0) })
        try await eventually("the first runs") { downloads[0].state == .running }
        let operation = try #require(downloads[2].operation)
        downloads[2].priority = .high
        #expect(operation.queuePriority == .high)
        downloads[1].pause()
        downloads[1].priority = .low
        downloads[1].resume()
        #expect(downloads[1].operation?.queuePriority == .low)
        #expect(try await order(of: downloads) == ["a", "c", "b"])
    }

    @Test func afterTheEndItDoesNothing() async throws {
        let download = silent.manager.download(silent.url("a"))
        download.cancel()
        download.priority = .high
        #expect(download.priority == .high && download.state.isCancelled)
    }
}
