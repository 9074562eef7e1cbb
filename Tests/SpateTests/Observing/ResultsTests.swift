import Foundation
import TestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct ResultsTests {
    @Test func everyURLHasItsFile() async throws {
        let server = try TestServer { .file(Array($0.path.utf8), for: $0) }
        let test = try TestManager()
        let urls = (0..<150).map { server.url("/f\($0)") }
        let files = try await withDeadline {
            var files: [URL: URL] = [:]
            for try await (url, file) in test.manager.files(of: urls) { files[url] = file }
            return files
        }
        #expect(files == Dictionary(uniqueKeysWithValues: urls.map { ($0, test.manager.fileURL(for: $0)) }))
        #expect(server.requests.count == 150 && server.mostAtOnce <= 3)
    }

    @Test func resultsComeAsTheyEndNotInTheirOrder() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let reply = Reply.file([1], for: request)
            return request.path == "/slow" ? reply.heldBack(by: gate) : reply
        }
        let test = try TestManager()
        let urls = ["/slow", "/a", "/b"].map { server.url($0) }
        let names = try await withDeadline {
            var names: [String] = []
            for await (url, _) in test.manager.results(of: urls) {
                names.append(url.lastPathComponent)
                if names.count == 2 { gate.open() }
            }
            return names
        }
        #expect(Set(names.prefix(2)) == ["a", "b"] && names.last == "slow" && names.count == 3)
    }

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

    @Test func requestsAreTakenAsTheyAre() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.fileName = "named"
        for try await (_, file) in test.manager.files(of: [request]) { #expect(file.lastPathComponent == "named") }
        for await (_, result) in test.manager.results(of: [request]) {
            #expect(try result.get().lastPathComponent == "named")
        }
        #expect(test.names == ["named"])
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

    @Test func noURLsHaveNoResults() async throws {
        let test = try TestManager()
        for await _ in test.manager.results(of: [URL]()) { Issue.record("a result of nothing") }
        for try await _ in test.manager.files(of: [URL]()) { Issue.record("a file of nothing") }
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
        // The one that was being enqueued goes as well.
        try await eventually("nothing is left") { silent.manager.downloads.isEmpty }
        #expect(asked.value == 65)
    }

    @Test func twentyThousandResultsCostNoTaskEach() async throws {
        // Each fails at once, so this measures the loop alone.
        let test = try TestManager()
        let urls = try (0..<20_000).map { try #require(URL(string: "ftp://host.test/\($0)")) }
        let seen = try await withDeadline {
            var seen: Set<URL> = []
            for await (url, _) in test.manager.results(of: urls) { seen.insert(url) }
            return seen
        }
        #expect(seen.count == urls.count)
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
