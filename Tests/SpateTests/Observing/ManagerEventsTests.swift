import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct ManagerEventsTests {
    @Test func theyBeginWithEachDownloadsPresentStateInTheirOrder() async throws {
        let silent = try SilentManager(maxConcurrentDownloads: 1)
        _ = silent.pausedDownload("paused")
        silent.manager.download(silent.url("runs"))
        try await silent.transport.started.wait(until: { $0 == 1 })
        silent.manager.download(silent.url("waits"))
        silent.manager.download(silent.url("ended")).cancel()
        var events = silent.manager.events.makeAsyncIterator()
        for expected in ["paused paused", "runs running", "waits waiting"] {
            let next = await events.next()
            #expect(next.map { "\($0.download.url.lastPathComponent) \($0.event.word)" } == expected)
        }
    }

    @Test func aDownloadThatEndsAtOnceHasNoWaitingState() async throws {
        let silent = try SilentManager()
        var events = silent.manager.events.makeAsyncIterator()
        silent.manager.download(try #require(URL(string: "ftp://host.test/f")))
        #expect(await [events.next()?.event.word, events.next()?.event.word] == ["progress", "failed"])
    }

    @Test func retriesAreReadAloneEachWithItsTry() async throws {
        let server = try TestServer { request in
            request.visit < 3 ? .status(503) : .file([1], for: request)
        }
        let test = try TestManager {
            $0.retry = RetryPolicy(maxRetriesWithoutProgress: 4, firstDelay: .zero, maximumDelay: .zero)
        }
        let retries = test.manager.retries
        let read = Recorder<String>()
        let task = Task {
            for await (download, _, error) in retries {
                let status = error.statusCode ?? 0
                read.append("\(download.url.lastPathComponent) \(status) \(error.nextTry?.description ?? "")")
            }
        }
        _ = try await test.manager.download(server.url("/a")).ended().get()
        try await read.wait(forCount: 2)
        task.cancel()
        await task.value
        #expect(read.values == ["a 503 try 2 of 5", "a 503 try 3 of 5"])
    }
}

extension DownloadEvent {
    var word: String {
        switch self {
        case .progress: "progress"
        case .state(.waiting(.slot)): "waiting"
        case .state(.waiting(.host)): "host"
        case .state(.waiting(.retry)): "retry"
        case .state(.waiting(.disk)): "disk"
        case .state(.running): "running"
        case .state(.paused): "paused"
        case .state(.finished): "finished"
        case .state(.failed): "failed"
        case .state(.cancelled): "cancelled"
        }
    }
}
