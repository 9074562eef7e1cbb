import Foundation
import TestSupport
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
}

extension DownloadEvent {
    var word: String {
        switch self {
        case .progress: "progress"
        case .state(.waiting(.slot)): "waiting"
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
