import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct FetchOperationTests {
    private let queue = OperationQueue()

    @Test func itFinishesWithTheFileAndWhatDependsOnItComesAfter() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager()
        let fetch = FetchOperation(server.url("/f"), manager: test.manager)
        let seen = Recorder<URL?>()
        let unpack = BlockOperation { seen.append(fetch.file) }
        fetch.addDependent(unpack)
        #expect(fetch.download == nil && fetch.isAsynchronous && !unpack.isReady)
        for operation in [unpack, fetch] as [Operation] { queue.addOperation(operation) }
        #expect(try await seen.wait(forCount: 1) == [test.folder.url("f")])
        #expect(fetch.isFinished && !fetch.isExecuting && fetch.download?.url == server.url("/f"))
    }

    @Test func itFinishesAfterPausesAndRetriesAndOnlyThen() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file([1], for: request)
            return request.visit == 1 ? .status(503) : request.visit == 2 ? reply.heldBack(by: gate) : reply
        }
        let test = try TestManager()
        let fetch = FetchOperation(server.url("/f"), manager: test.manager)
        let completions = Recorder<Bool>()
        fetch.completionBlock = { completions.append(fetch.isFinished) }
        queue.addOperation(fetch)
        try await server.waitForRequests(2)
        let download = try #require(fetch.download)
        let attempt = try #require(download.operation)
        download.pause()
        try await eventually("the attempt is over") { attempt.isFinished }
        #expect(!fetch.isFinished && fetch.isExecuting && fetch.result == nil)
        download.resume()
        gate.open()
        try await completions.wait(forCount: 1)
        #expect(completions.values == [true] && server.requests.count == 3)
        // What captures its own operation must not keep it. It is let go after the call, which is on another thread.
        try await eventually("the block is gone") { fetch.completionBlock == nil }
    }

    @Test func itNeedsNoQueueAndAThreadMayWaitForIt() async throws {
        let server = try TestServer { .file([1], for: $0) }
        // A queue for closures that stands still must not hold up operations.
        let callbacks = DispatchQueue(label: "test.callbacks")
        callbacks.suspend()
        defer { callbacks.resume() }
        let test = try TestManager { $0.callbackQueue = callbacks }
        let fetch = FetchOperation(server.url("/f"), manager: test.manager)
        fetch.start()
        fetch.start()
        try await withDeadline {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    fetch.waitUntilFinished()
                    continuation.resume()
                }
            }
        }
        #expect(try fetch.result?.get() == test.folder.url("f") && server.requests.count == 1)
    }

    @Test func oneThatIsCancelledBeforeItsStartEnqueuesNothingAndFinishesInItsQueue() async throws {
        let silent = try SilentManager()
        let fetch = FetchOperation(silent.url("f"), manager: silent.manager)
        let passed = Watched(false)
        let dependent = BlockOperation { passed.update { $0 = true } }
        fetch.addDependent(dependent)
        fetch.cancel()
        #expect(!fetch.isFinished)
        for operation in [fetch, dependent] as [Operation] { queue.addOperation(operation) }
        try await passed.wait(until: { $0 })
        #expect(fetch.result?.error?.code == .cancelled && fetch.download == nil && silent.transport.started.value == 0)
    }

    @Test func itMayStandForADownloadThatIsUnderWayOrOver() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        let download = test.manager.download(server.url("/f"))
        let first = FetchOperation(download)
        #expect(first.download === download)
        queue.addOperation(first)
        try await eventually("it is finished") { first.isFinished }
        let second = FetchOperation(download)
        second.start()
        #expect(second.isFinished && second.file == test.folder.url("f"))
        second.cancel()
        #expect(second.file == test.folder.url("f"))
    }

    @Test func itDoesNotKeepItsManager() async throws {
        let folder = try TemporaryFolder()
        let transport = SilentTransport()
        transport.letGo()
        var manager: DownloadManager? = .silent(in: folder, over: transport)
        weak let released = manager
        let url = try #require(URL(string: "http://host.test/f"))
        let fetch = FetchOperation(url, manager: try #require(manager))
        fetch.start()
        fetch.download?.pause()
        manager = nil
        try await eventually("the manager goes and the operation with it") { released == nil && fetch.isFinished }
        #expect(fetch.result?.error?.code == .cancelled)
    }

    @Test func whoAsksForEventsBeforeTheStartMissesNone() async throws {
        let gate = try Gate()
        let server = try TestServer { Reply.file([1, 2, 3], for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let fetch = FetchOperation(server.url("/f"), manager: test.manager)
        let (early, other) = (fetch.events, fetch.events)
        let seen = Task {
            var states: [String] = []
            for await case .state(let state) in early { states.append("\(state)") }
            return states
        }
        queue.addOperation(fetch)
        try await gate.reached()
        for await _ in other { break }
        gate.open()
        let states = try await withDeadline { await seen.value }
        #expect(states.first == "waiting for a slot" || states.first == "running", "\(states)")
        #expect(states.last?.hasPrefix("finished") == true)
        try await eventually("it is finished") { fetch.isFinished }
        var late = 0
        for await case .state in fetch.events { late += 1 }
        #expect(late == 1, "the end alone")
    }

    @Test func aReaderThatGoesDuringTheStartIsNotLeftBehind() async throws {
        let silent = try SilentManager()
        silent.transport.letGo()
        for number in 0..<1_000 {
            let fetch = FetchOperation(silent.url("\(number)"), manager: silent.manager)
            let streams = Watched<[AsyncStream<DownloadEvent>]>((0..<8).map { _ in fetch.events })
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    DispatchQueue.concurrentPerform(iterations: 2) { thread in
                        if thread == 0 { fetch.start() } else { while streams.update({ $0.popLast() }) != nil {} }
                    }
                    continuation.resume()
                }
            }
            let download = try #require(fetch.download)
            let left = download.core.withLock { $0.observers.count { $0 is EventReader } }
            #expect(left == 0)
            fetch.cancel()
        }
    }

    @Test func eventsEndForAnOperationThatNeverHasADownload() async throws {
        let test = try TestManager()
        let url = try #require(URL(string: "http://host.test/f"))
        let cancelled = FetchOperation(url, manager: test.manager)
        let before = cancelled.events
        cancelled.cancel()
        queue.addOperation(cancelled)
        for await event in before { Issue.record("\(event)") }
        try await eventually("it is finished") { cancelled.isFinished }
        for await event in cancelled.events { Issue.record("\(event)") }
        var dropped: FetchOperation? = FetchOperation(url, manager: test.manager)
        let left = try #require(dropped?.events)
        dropped = nil
        for await event in left { Issue.record("\(event)") }
    }
}
