import Foundation
import Glibc
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateTestSupport
import Testing

@testable import Spate

/// Operations start on the queue of the loop that moves the bytes of small files.
@Suite(.takesTurns) struct SharedLoopTests {
    enum Trigger: CaseIterable {
        case enqueued, limitRaised, slotFreed, dependencyEnded
    }

    /// A manager with a transport of its own, which expects small files.
    private static func manager(
        in folder: TemporaryFolder,
        platform: Platform = .native,
        limit: Int,
        _ server: TestServer
    ) async throws -> DownloadManager {
        var configuration = DownloadManager.Configuration(directory: folder.url)
        configuration.maxConcurrentDownloads = limit
        configuration.stallTimeout = Duration.hang * 2
        let surroundings = Surroundings(transport: CurlTransport(), platform: platform)
        let manager = DownloadManager(configuration: configuration, in: surroundings)
        for number in 0..<10 { _ = try await manager.download(server.url("/small\(number)")).ended().get() }
        return manager
    }

    private static func server(stallingUntil gate: Gate) throws -> TestServer {
        try TestServer { request in
            let reply = Reply.file([1, 2, 3], for: request)
            return request.path.hasPrefix("/stalled") ? reply.gated(after: 1, gate) : reply
        }
    }

    @Test(arguments: Trigger.allCases)
    func anOperationStartsAtOnceAlthoughTheLoopSleeps(trigger: Trigger) async throws {
        let gate = try Gate()
        let server = try Self.server(stallingUntil: gate)
        let folder = try TemporaryFolder()
        let isFull = trigger == .limitRaised || trigger == .dependencyEnded
        let manager = try await Self.manager(in: folder, limit: isFull ? 1 : 2, server)
        let stalled = manager.download(server.url("/stalled"))
        let other = trigger == .slotFreed ? manager.download(server.url("/stalled-too")) : nil
        try await gate.reached(times: other == nil ? 1 : 2)
        let early = trigger == .enqueued ? nil : manager.download(server.url("/next"))
        let dependency = BlockOperation()
        if trigger == .dependencyEnded {
            try #require(early?.operation).addDependency(dependency)
            manager.maxConcurrentDownloads = 2
        }
        // Then the loop sleeps in its poll.
        try await Task.sleep(for: .milliseconds(50))
        #expect(early?.operation?.isExecuting != true)
        let start = ContinuousClock.now
        switch trigger {
        case .enqueued: break
        case .limitRaised: manager.maxConcurrentDownloads = 2
        case .slotFreed: other?.cancel()
        case .dependencyEnded: OperationQueue().addOperation(dependency)
        }
        let next = early ?? manager.download(server.url("/next"))
        _ = try await next.ended().get()
        // Without a wake-up it waits for the stalled transfer.
        #expect(ContinuousClock.now - start < .seconds(5))
        #expect(!stalled.state.isTerminal)
        gate.open()
        _ = try await stalled.ended().get()
    }

    /// All of them start their operations on one queue.
    @Test func managersThatAreMadeMeanwhileDisturbNoStart() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let folder = try TemporaryFolder()
        let manager = try await Self.manager(in: folder, limit: 3, server)
        let isOver = Watched(false)
        let surroundings = manager.surroundings
        for _ in 0..<2 {
            Thread {
                while !isOver.value {
                    _ = DownloadManager(configuration: DownloadManager.Configuration(), in: surroundings)
                }
            }.start()
        }
        defer { isOver.update { $0 = true } }
        let downloads = manager.download((0..<500).map { server.url("/f\($0)") })
        for download in downloads { _ = try await download.ended().get() }
    }

    @Test func aDiskThatOpensSlowlyHoldsUpNobodyElse() async throws {
        let (gate, ungated) = (try Gate(), try Gate())
        ungated.open()
        let server = try Self.server(stallingUntil: ungated)
        let (folder, slowFolder) = (try TemporaryFolder(), try TemporaryFolder())
        var platform = Platform.native
        platform.openUnnamed = { [native = platform.openUnnamed, slow = slowFolder.path] descriptor in
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            if path == slow { gate.pass() }
            return native(descriptor)
        }
        let manager = try await Self.manager(in: folder, platform: platform, limit: 2, server)
        let slow = manager.download(DownloadRequest(server.url("/slow"), directory: slowFolder.url))
        try await gate.reached()
        for number in 0..<5 { _ = try await manager.download(server.url("/quick\(number)")).ended().get() }
        #expect(!slow.state.isTerminal)
        gate.open()
        _ = try await slow.ended().get()
    }
}
