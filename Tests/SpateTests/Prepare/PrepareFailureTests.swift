import Foundation
import Spate
import SpateTestSupport
import Testing

/// What follows if a request cannot be prepared, or what was prepared cannot be sent; and what messages say.
@Suite(.takesTurns) struct PrepareFailureTests {
    private struct PlainError: Error { let secret = "hidden-word" }

    private struct SpeakingError: LocalizedError {
        var errorDescription: String? { "The token server is down." }
    }

    @Test func whatItThrowsIsRetriedAndKeepsWhatIsThere() async throws {
        let bytes = TestBytes.random(count: 100_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.cut(after: 50_000) : reply
        }
        let calls = Recorder<DownloadError?>()
        let test = try TestManager {
            $0.prepares { _, attempt in
                calls.append(attempt.previousError)
                if attempt.number == 2 { throw PlainError() }
            }
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(calls.values.map(\.?.code) == [nil, .connectionFailed, .prepare])
        #expect(calls.values.last??.keptPartialFile == true && server.requests.last?.range == .rest(from: 50_000))
    }

    /// What it throws, after how many attempts the download fails, and what the message has of it.
    private static let thrown: [(error: any Error, attempts: Int, text: String)] = [
        (PlainError(), 4, "(PlainError)"), (SpeakingError(), 4, "(The token server is down)"),
        (CancellationError(), 4, "(CancellationError)"),
        // Its status is not that of the file's server: no fresh attempt follows.
        (DownloadError(.httpStatus, "No licence.", isRetryable: true, statusCode: 403), 4, "No licence"),
        (DownloadError(.httpStatus, "No licence.", isRetryable: false, statusCode: 403), 1, "No licence"),
    ]

    /// An error of the program's, which looks at the download when it goes.
    private final class OwnError: Error {
        private let download: Watched<Download?>
        private let gone: Watched<Int>

        init(_ download: Watched<Download?>, gone: Watched<Int>) {
            (self.download, self.gone) = (download, gone)
        }

        deinit {
            _ = download.value?.state
            gone.update { $0 += 1 }
        }
    }

    @Test func anEarlierErrorIsReleasedWithNoLockHeld() async throws {
        let (download, gone) = (Watched<Download?>(nil), Watched(0))
        let test = try TestManager { $0.prepare = { _, _ in throw OwnError(download, gone: gone) } }
        let own = test.manager.download(try #require(URL(string: "http://127.0.0.1:9/f")))
        download.update { $0 = own }
        #expect(try await own.ended().error?.code == .prepare)
        // The last one is the result.
        try await gone.wait(until: { $0 == 3 })
        download.update { $0 = nil }
    }

    @Test(arguments: thrown.indices) func whatItThrowsAgainAndAgainIsTheUnderlyingError(index: Int) async throws {
        let (thrown, attempts, text) = Self.thrown[index]
        let server = try TestServer { .file([1], for: $0) }
        let calls = Recorder<Int>()
        let test = try TestManager {
            $0.prepares { _, attempt in
                calls.append(attempt.number)
                throw thrown
            }
        }
        let error = try #require(try await test.manager.download(server.url("/f?id=hidden-word")).ended().error)
        let underlying = try #require(error.underlying)
        #expect(
            error.code == .prepare && error.isRetryable == (attempts > 1) && type(of: underlying) == type(of: thrown)
        )
        #expect(error.message.contains(text) && !"\(error)".contains("hidden-word") && !error.keptPartialFile)
        #expect(calls.values.count == attempts && server.requests.isEmpty && test.names.isEmpty)
    }

    static let unusable: [(DownloadError.Code, @Sendable (inout DownloadRequest) -> Void)] = [
        (.unsupportedScheme, { $0.url = URL(string: "ftp://host/hidden-word") ?? $0.url }),
        (.badURL, { $0.url = URL(string: "hidden-word") ?? $0.url }),
        (.badHeader, { $0.headers["Range"] = "bytes=0-1" }),
        (.badHeader, { $0.headers["X-A"] = "hidden-word\r\nX-B: word" }),
    ]

    @Test(arguments: unusable.indices) func aRequestThatCannotBeSentFailsAtOnce(index: Int) async throws {
        let (code, change) = Self.unusable[index]
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager { $0.prepares { request, _ in change(&request) } }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == code && !error.isRetryable && server.requests.isEmpty && test.names.isEmpty)
        #expect(error.description.contains("/f: ") && !error.message.contains("hidden-word"), "\(error)")
    }

    static let faults: [@Sendable (ReceivedRequest) -> Reply] = [
        { _ in .status(403) }, { _ in .status(500) }, { _ in .hangUp }, { _ in .raw("hidden-word") },
        { .redirect(to: $0.target) }, { _ in .redirect(to: "ftp://host/hidden-word") }, { _ in .status(302) },
        { .file([1, 2, 3], for: $0).cut(after: 1) }, { .file([1, 2, 3, 4], for: $0) }, { _ in .endless(.fields) },
        { request in request.visit == 1 ? .redirect(to: "/hidden-path/next") : .status(500) },
    ]

    /// Whatever goes wrong, neither the error nor what it is made of has the URL that was prepared, or its headers.
    @Test(arguments: faults.indices) func noFailureNamesWhatWasPrepared(index: Int) async throws {
        let server = try TestServer(Self.faults[index])
        let test = try TestManager {
            $0.retry = .never
            $0.prepares { request, _ in
                request.url = server.url("/hidden-path/x?sig=hidden-word", authority: "hidden-word:w@127.0.0.1")
                request.headers = ["X-Fresh": "hidden-word"]
            }
        }
        var request = DownloadRequest(server.url("/f"))
        request.maximumBytes = 3
        let download = test.manager.download(request)
        let error = try #require(try await download.ended().error)
        var dumped = ""
        dump(error, to: &dumped)
        let texts = [
            dumped, error.message, String(decoding: try JSONEncoder().encode(error), as: UTF8.self),
            String(decoding: try JSONEncoder().encode(download.request), as: UTF8.self), "\(download.state)",
        ]
        // What the server says may be in it; this server repeats what it was asked for in a redirect alone.
        for text in texts { #expect(!text.contains("hidden-path") && !text.contains("sig="), "\(text)") }
        #expect(!error.message.contains("hidden-word") || index == 3, "\(error)")
    }

    @Test func aServerThatIsNotThereIsNamed() async throws {
        let dead = try DeadPort(.refusing)
        let server = try TestServer { .file([1], for: $0) }
        let url = try #require(URL(string: "http://127.0.0.1:\(dead.port)/hidden-path"))
        let test = try TestManager {
            $0.retry = .never
            $0.prepares { request, _ in request.url = url }
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .connectionFailed && error.message.contains("127.0.0.1:\(dead.port)"))
        #expect(!error.message.contains("hidden-path"))
    }
}
