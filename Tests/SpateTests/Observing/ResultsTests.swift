import Foundation
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct ResultsTests {
    @Test func aFailureIsAResultAmongOthersAndAURLThatOccursTwiceHasTwo() async throws {
        let server = try TestServer { $0.path == "/f" ? .file([1], for: $0) : .status(404) }
        let test = try TestManager()
        let ftp = try #require(URL(string: "ftp://host.test/x"))
        let urls = [server.url("/f"), server.url("/none"), ftp, server.url("/f")]
        let words = try await withDeadline {
            var words: [String] = []
            for await (url, result) in test.manager.results(of: urls) {
                words.append("\(url.lastPathComponent) \(result.error?.code.description ?? "finished")")
            }
            return words
        }
        #expect(words.sorted() == ["f finished", "f finished", "none httpStatus", "x unsupportedScheme"])
    }

    @Test func aFullHostDoesNotBlockTheOthers() async throws {
        let silent = try SilentManager(maxConnectionsPerHost: 1)
        let (manager, last) = (silent.manager, silent.url("f", host: "free.test"))
        let urls = (0..<200).map { silent.url("\($0)", host: "full.test") } + [last]
        let reading = Task { for await _ in manager.results(of: urls) {} }
        try await eventually("the other host's file runs") { manager[last]?.state == .running }
        #expect(manager.downloads.count == urls.count)
        reading.cancel()
        try await withDeadline { await reading.value }
    }

    /// What waits for hosts is in memory, so it is bounded, too. When a host has room again, its downloads count.
    @Test func theRoomOfALoopIsBounded() throws {
        let silent = try SilentManager()
        let download = silent.pausedDownload("a")
        var queue = BatchQueue()
        func add(_ count: Int) {
            for _ in 0..<count {
                guard let number = queue.beginEnqueueing() else { break }
                let isAdded = queue.add(download, number: number)
                #expect(isAdded)
                queue.note(number: number, waitsForHost: true)
            }
        }
        add(BatchQueue.mostPassed)
        #expect(queue.hasRoom(in: 1))
        add(1)
        #expect(!queue.hasRoom(in: 1))
        queue.ended(number: 1, (download.url, .success(download.url)))
        #expect(!queue.hasRoom(in: 1))
        _ = queue.popFirst()
        #expect(queue.hasRoom(in: 1))
        queue.note(number: 2, waitsForHost: false)
        #expect(!queue.hasRoom(in: 1))
    }

    @Test func theFirstFailureIsThrownAndNothingFollows() async throws {
        let server = try TestServer { $0.path == "/f" ? .silence : .status(404) }
        let test = try TestManager()
        let urls = [server.url("/f"), server.url("/none")]
        var files = test.manager.files(of: urls).makeAsyncIterator()
        let error = await #expect(throws: DownloadError.self) { try await files.next() }
        #expect(error?.statusCode == 404)
        // The other was enqueued by this loop alone, though the iterator is still there.
        #expect(test.manager.downloads.isEmpty)
        #expect(try await files.next() == nil)
    }

    @Test func anAsyncSequenceMayBringTheURLsAndTheirResultsDoNotWaitForIt() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        let (urls, source) = AsyncStream<URL>.makeStream()
        var results = test.manager.results(of: urls).makeAsyncIterator()
        for name in ["/a", "/b"] {
            source.yield(server.url(name))
            #expect(await results.next()?.url == server.url(name))
        }
        source.finish()
        #expect(await results.next() == nil)

        let requests = AsyncStream<DownloadRequest> { stream in
            stream.yield(DownloadRequest(server.url("/c")))
            stream.finish()
        }
        for try await (_, file) in test.manager.files(of: requests) { #expect(file == test.folder.url("c")) }
        let again = AsyncStream<DownloadRequest> { $0.finish() }
        for await _ in test.manager.results(of: again) { Issue.record("a result of nothing") }
    }

    @Test func aSequenceThatThrowsEndsTheLoopWithItsError() async throws {
        struct Fault: Error {}
        let test = try TestManager()
        let urls = AsyncThrowingStream<URL, any Error> { $0.finish(throwing: Fault()) }
        await #expect(throws: Fault.self) {
            for try await _ in test.manager.files(of: urls) {}
        }
    }

    @Test func onlyAWindowOfALongSequenceIsEnqueuedAndTheRestIsNotEvenAskedFor() async throws {
        let silent = try SilentManager()
        let asked = Watched(0)
        let urls = (0..<1_000_000).lazy.map { number in
            asked.update { $0 += 1 }
            return silent.url("\(number)")
        }
        let reading = Task {
            for await _ in silent.manager.results(of: CheckedSequence(urls)) {}
        }
        try await asked.wait(until: { $0 >= 64 })
        try await eventually("the window is full") { silent.manager.downloads.count == 64 }
        // One that ends makes room for one, when its result has been read.
        silent.manager.cancel(silent.url("63"))
        try await asked.wait(until: { $0 == 65 })
        reading.cancel()
        try await withDeadline { await reading.value }
        // The download that was being enqueued is removed, too.
        try await eventually("nothing is left") { silent.manager.downloads.isEmpty }
        #expect(asked.value == 65)
    }
}

/// A lazy sequence whose closure is known to be safe.
private struct CheckedSequence<Base: Sequence>: Sequence, @unchecked Sendable {
    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    func makeIterator() -> Base.Iterator { base.makeIterator() }
}
