import Foundation
import Spate
import TestSupport
import Testing

@Suite(.mostlyWaits) struct LifeCycleTests {
    let bytes = TestBytes.random(count: 200_000)

    /// A server that stops each first answer after 100,000 bytes, and a recorder of them.
    private func stallingServer() throws -> TestServer {
        try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.stalled(after: 100_000) : reply
        }
    }

    private func start(_ url: URL, in manager: DownloadManager) async throws -> Download {
        let heard = Recorder<Int64>()
        let download = manager.download(url, progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 100_000 })
        return download
    }

    @Test func cancellingAPendingDownloadEndsItAtOnceAndAsksNothing() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let running = test.manager.download(server.url("/running"))
        let pending = test.manager.download(server.url("/pending"))
        try await server.waitForRequests(1)
        test.manager.cancel(server.url("/pending"))
        #expect(try await pending.ended().error?.code == .cancelled)
        #expect(test.manager[server.url("/pending")] == nil)
        gate.open()
        _ = try await running.ended().get()
        #expect(server.requests.map(\.path) == ["/running"] && test.names == ["running"])
    }

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

    @Test func cancellingARunningDownloadKeepsItsBytes() async throws {
        let server = try stallingServer()
        let test = try TestManager()
        let download = try await start(server.url("/f"), in: test.manager)
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        let again = test.manager.download(server.url("/f"))
        #expect(again !== download)
        _ = try await again.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 100_000)])
    }

    @Test(arguments: [false, true]) func deletingARunningDownloadLeavesNothing(byItself: Bool) async throws {
        let server = try stallingServer()
        let test = try TestManager()
        let download = try await start(server.url("/f"), in: test.manager)
        if byItself { try download.delete() } else { try test.manager.delete(server.url("/f")) }
        #expect(test.names.isEmpty)
        #expect(try await download.ended().error?.code == .cancelled)
    }

    @Test func afterADeletionTheSameURLIsFetchedFromTheStart() async throws {
        let server = try stallingServer()
        let test = try TestManager()
        _ = try await start(server.url("/f"), in: test.manager)
        try test.manager.delete(server.url("/f"))
        let again = test.manager.download(server.url("/f"))
        _ = try await again.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.range) == [nil, nil] && test.names == ["f"])
    }

    @Test func deletingAFinishedFileRemovesIt() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        try test.manager.delete(server.url("/f"))
        #expect(test.names.isEmpty && !test.manager.isDownloaded(server.url("/f")))
        try test.manager.delete(server.url("/f"))
    }

    @Test func deletingAllLeavesWhatSpateDidNotMake() async throws {
        let server = try stallingServer()
        let test = try TestManager()
        try Data("mine".utf8).write(to: test.folder.url("mine.txt"))
        try Data("mine".utf8).write(to: test.folder.url("mine.part"))
        _ = try await start(server.url("/partial"), in: test.manager)
        _ = try await start(server.url("/finished"), in: test.manager)
        test.manager.cancel(server.url("/finished"))
        _ = try await test.manager.download(server.url("/finished")).ended().get()
        try test.manager.deleteAll()
        #expect(test.names == ["mine.part", "mine.txt"] && test.manager.downloads.isEmpty)
    }

    @Test func aWaitingDownloadThatIsPausedLetsOthersPass() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            request.path == "/first" ? .file([1], for: request).heldBack(by: gate) : .file([1], for: request)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 1 }
        let first = test.manager.download(server.url("/first"))
        let second = test.manager.download(server.url("/second"))
        try await server.waitForRequests(1)
        second.pause()
        first.pause()
        let third = test.manager.download(server.url("/third"))
        _ = try await third.ended().get()
        second.resume()
        _ = try await second.ended().get()
        gate.open()
        test.manager.resumeAll()
        _ = try await first.ended().get()
    }

    @Test func enqueueingAPausedURLLetsItGoOn() async throws {
        let server = try stallingServer()
        let test = try TestManager()
        let download = try await start(server.url("/f"), in: test.manager)
        download.pause()
        let again = test.manager.download(server.url("/f"))
        #expect(again === download)
        _ = try await again.ended().get()
    }

    @Test func pauseAndResumeFromManyThreadsKeepTheBytesRight() async throws {
        let content = TestBytes.random(count: 3_000_000)
        let server = try TestServer { .file(content, etag: "\"v1\"", for: $0).throttled(bytesPerSecond: 20_000_000) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        if Bool.random() { download.pause() } else { download.resume() }
                        await Task.yield()
                    }
                    download.resume()
                }
            }
        }
        download.resume()
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
    }

    @Test func theEventsBeginWithThePresentStateAndEndWithTheEnd() async throws {
        let server = try TestServer { request in
            request.visit == 1 ? .status(503, body: "later") : .file([1, 2, 3], for: request)
        }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        let events = download.events
        let names = try await withDeadline {
            var names: [String] = []
            for await event in events {
                switch event {
                case .state(.waiting(.slot)): names.append("slot")
                case .state(.waiting(.retry(_, let error))): names.append("retry \(error.statusCode ?? 0)")
                case .state(.running): names.append("running")
                // Not on a file system in memory.
                case .state(.waiting(.disk)): break
                case .state(.finished): names.append("finished")
                case .state(let other): names.append("\(other)")
                case .progress: break
                }
            }
            return names
        }
        #expect(names.suffix(5) == ["running", "retry 503", "slot", "running", "finished"].suffix(names.count))
        #expect(names.last == "finished")

        var after: [DownloadEvent] = []
        for await event in download.events { after.append(event) }
        #expect(after.count == 1)
    }

    @Test func cancellingTheTaskThatWaitsLeavesTheDownloadAlone() async throws {
        let gate = try Gate()
        let server = try TestServer { .file([1], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        let waiting = Task { try await download.file }
        try await server.waitForRequests(1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.open()
        _ = try await download.ended().get()
    }

    @Test func closuresRunOnTheQueueThatWasGiven() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let queue = DispatchQueue(label: "test.callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let test = try TestManager { $0.callbackQueue = queue }
        let heard = Recorder<Bool>()
        test.manager.download(
            server.url("/f"),
            progress: { _ in heard.append(DispatchQueue.getSpecific(key: key) == true) },
            completion: { _ in heard.append(DispatchQueue.getSpecific(key: key) == true) }
        )
        try await heard.wait(forCount: 2)
        #expect(heard.values.allSatisfy { $0 })
    }

    @Test func aWaitForARetryThatIsCancelledKeepsNothingAlive() async throws {
        let server = try TestServer { _ in .status(503, fields: ["Retry-After": "600"], body: "") }
        let folder = try TemporaryFolder()
        var configuration = DownloadManager.Configuration()
        configuration.directory = folder.url
        var manager: DownloadManager? = DownloadManager(configuration: configuration)
        weak let released = manager
        let download = try #require(manager?.download(server.url("/f")))
        for await event in download.events {
            if case .state(.waiting(.retry)) = event { break }
        }
        manager = nil
        #expect(released != nil)
        download.cancel()
        try await eventually("nobody holds the manager") { released == nil }
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

    @Test func progressNeverFallsAndEndsWithTheWhole() async throws {
        let content = TestBytes.random(count: 5_000_000)
        let server = try TestServer { .file(content, for: $0).throttled(bytesPerSecond: 10_000_000) }
        let test = try TestManager()
        let heard = Recorder<DownloadProgress>()
        let done = Recorder<Bool>()
        let began = ContinuousClock.now
        test.manager.download(server.url("/f"), progress: { heard.append($0) }, completion: { _ in done.append(true) })
        try await done.wait(forCount: 1)
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        let received = heard.values.map(\.receivedBytes)
        #expect(received == received.sorted() && received.last == 5_000_000)
        #expect(heard.values.allSatisfy { $0.totalBytes == 5_000_000 })
        // One at the start, ten a second, one at the end.
        #expect(Double(heard.values.count) <= seconds * 10 + 2)
    }
}
