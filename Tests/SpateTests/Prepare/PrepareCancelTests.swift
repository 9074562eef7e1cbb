import Foundation
import Spate
import SpateLocking
import SpateTestSupport
import Testing

/// A preparation that takes long: what ends its attempt does not wait for it, and what it returns then changes nothing.
@Suite(.takesTurns) struct PrepareCancelTests {
    enum Ending: CaseIterable, Sendable { case pause, cancel, delete, operation }

    /// A preparation that waits for the test. Its first call returns only when it is let go, whatever its task is told.
    private final class SlowPreparation: Sendable {
        let called = Watched(0)
        let cancelled = Watched(0)
        let returned = Watched(0)
        private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

        func callAsFunction(_ request: DownloadRequest, _ attempt: DownloadAttempt) async throws -> DownloadRequest {
            let call = called.update { called in
                called += 1
                return called
            }
            if call == 1 {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
                } onCancel: {
                    cancelled.update { $0 += 1 }
                }
            }
            returned.update { $0 += 1 }
            return request
        }

        func letGo() {
            let all = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for continuation in all { continuation.resume() }
        }
    }

    private func end(_ download: Download, by ending: Ending) throws {
        switch ending {
        case .pause: download.pause()
        case .cancel: download.cancel()
        case .delete: try download.delete()
        case .operation: try #require(download.operation).cancel()
        }
    }

    @Test(arguments: Ending.allCases) func nobodyWaitsForIt(ending: Ending) async throws {
        let server = try TestServer { .file([1], for: $0) }
        let slow = SlowPreparation()
        let test = try TestManager {
            $0.maxConcurrentDownloads = 1
            $0.prepare = { try await slow($0, $1) }
        }
        let download = test.manager.download(server.url("/f"))
        let other = test.manager.download(server.url("/g"))
        try await slow.called.wait(until: { $0 == 1 })
        let operation = try #require(download.operation)
        try end(download, by: ending)
        #expect(!download.state.isRunning)
        // Its slot is free, its file closed, and its task cancelled.
        _ = try await other.ended().get()
        try await eventually("the operation has finished") { operation.isFinished }
        try await slow.cancelled.wait(until: { $0 == 1 })
        #expect(test.names == ["g"])

        let state = "\(download.state)"
        slow.letGo()
        try await slow.returned.wait(until: { $0 == 2 })
        await test.manager.waitUntilIdle()
        #expect("\(download.state)" == state && server.requests.map(\.path) == ["/g"] && test.names == ["g"])
        if ending == .pause {
            download.resume()
            _ = try await download.ended().get()
            #expect(server.requests.map(\.path) == ["/g", "/f"])
        }
    }
}
