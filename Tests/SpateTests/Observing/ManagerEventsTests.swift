import Foundation
import TestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct ManagerEventsTests {
    /// Reads until this many downloads have ended; returns the words for each one's events.
    private func words(
        of events: AsyncStream<(download: Download, event: DownloadEvent)>,
        ends: Int
    ) async throws -> [String: [String]] {
        try await withDeadline {
            var words: [String: [String]] = [:]
            var ended = 0
            for await (download, event) in events {
                words[download.url.lastPathComponent, default: []].append(event.word)
                if case .state(let state) = event, state.isTerminal { ended += 1 }
                if ended == ends { break }
            }
            return words
        }
    }

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

    @Test func everyDownloadBeginsByWaitingAndEndsWithItsEnd() async throws {
        let server = try TestServer { request in
            request.path == "/again" && request.visit == 1 ? .status(503) : .file([1, 2], for: request)
        }
        let test = try TestManager()
        let events = test.manager.events
        test.manager.download(["/one", "/again", "/two"].map { server.url($0) })
        let heard = try await words(of: events, ends: 3)
        for name in ["one", "two"] {
            #expect(heard[name].map(states) == ["waiting", "running", "finished"])
            #expect(heard[name]?.suffix(2) == ["progress", "finished"])
        }
        let again = heard["again"].map(states)
        #expect(again == ["waiting", "running", "retry", "waiting", "running", "finished"])
    }

    /// Without the wait for the disk, which a file system in memory does not need.
    private func states(_ words: [String]) -> [String] { words.filter { $0 != "progress" && $0 != "disk" } }

    @Test func aDownloadThatEndsAtOnceHasNoWaitingState() async throws {
        let silent = try SilentManager()
        let events = silent.manager.events
        silent.manager.download(try #require(URL(string: "ftp://host.test/f")))
        #expect(try await words(of: events, ends: 1) == ["f": ["progress", "failed"]])
    }

    @Test func eachReaderGetsAllEvents() async throws {
        let silent = try SilentManager()
        let (first, second) = (silent.manager.events, silent.manager.events)
        for number in 0..<50 { silent.manager.download(silent.url("\(number)")) }
        silent.manager.cancelAll()
        #expect(try await words(of: first, ends: 50).count == 50)
        #expect(try await words(of: second, ends: 50).count == 50)
    }

    @Test func readersThatComeWhileDownloadsChangeMissNoStateAndHearNoneTwice() async throws {
        let silent = try SilentManager()
        let downloads = (0..<40).map { silent.pausedDownload("\($0)") }
        try await withDeadline {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    // Each download waits when this is done, having been paused until then.
                    for download in downloads { download.resume() }
                    silent.manager.maxConcurrentDownloads = 1
                }
                for _ in 0..<8 {
                    group.addTask {
                        var states: [ObjectIdentifier: [String]] = [:]
                        let events = silent.manager.events
                        for download in downloads.reversed() where download.state.isTerminal { return }
                        for await (download, event) in events {
                            guard case .state = event else { continue }
                            states[ObjectIdentifier(download), default: []].append(event.word)
                            let arrived = states.values.filter { $0.last != "paused" }
                            if arrived.count == downloads.count { break }
                        }
                        for words in states.values {
                            #expect(zip(words, words.dropFirst()).allSatisfy { $0 != $1 }, "\(words)")
                        }
                    }
                }
            }
        }
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
