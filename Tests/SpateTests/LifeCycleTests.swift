import Foundation
import Spate
import TestSupport
import Testing

@Suite(.mostlyWaits) struct LifeCycleTests {
    @Test func aManagerIsIdleWhenAllHaveEndedOrArePaused() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        await test.manager.waitUntilIdle()
        let isCancelled = Recorder<Int>()
        let paused = test.manager.download(server.url("/paused"))
        let held = test.manager.download(server.url("/held"))
        let waiting = Task {
            await test.manager.waitUntilIdle()
            return held.state.isTerminal
        }
        let cancelled = Task {
            await test.manager.waitUntilIdle()
            isCancelled.append(test.manager.downloads.count)
        }
        cancelled.cancel()
        try await isCancelled.wait(until: { $0 == [2] })
        paused.pause()
        gate.open()
        #expect(await waiting.value && paused.result == nil && test.manager.downloads.count == 1)
        paused.resume()
        await test.manager.waitUntilIdle()
        #expect(try paused.result?.get() == test.folder.url("paused"))
    }

    @Test func theLastBytesBeforeAStallAreReported() async throws {
        let content = TestBytes.random(count: 2_000_000)
        let server = try TestServer { .file(content, for: $0).stalled(after: 1_500_000) }
        let test = try TestManager()
        let heard = Recorder<Int64>()
        let download = test.manager.download(server.url("/f"), progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 1_500_000 })
        download.cancel()
    }
}
