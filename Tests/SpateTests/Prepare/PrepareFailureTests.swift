import Foundation
import Locking
import Spate
import TestSupport
import Testing

/// What follows if a request cannot be prepared, or what was prepared cannot be sent; and what messages say.
@Suite(.takesTurns) struct PrepareFailureTests {
    private struct PlainError: Error { let secret = "hidden-word" }

    private struct SpeakingError: LocalizedError {
        var errorDescription: String? { "The token server is down." }
    }

    private func failing(_ error: any Error, times: Int) throws -> (TestManager, Recorder<DownloadAttempt>) {
        let calls = Recorder<DownloadAttempt>()
        let test = try TestManager { configuration in
            configuration.prepare = { request, attempt in
                calls.append(attempt)
                if attempt.number <= times { throw error }
                return request
            }
        }
        return (test, calls)
    }

    @Test func whatItThrowsIsRetriedAndKeepsWhatIsThere() async throws {
        let bytes = TestBytes.random(count: 100_000)
        let server = try TestServer { request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.cut(after: 50_000) : reply
        }
        let calls = Recorder<DownloadError?>()
        let test = try TestManager { configuration in
            configuration.prepare = { request, attempt in
                calls.append(attempt.previousError)
                if attempt.number == 2 { throw PlainError() }
                return request
            }
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(calls.values.map(\.?.code) == [nil, .connectionFailed, .prepare])
        #expect(calls.values.last??.keptPartialFile == true && server.requests.last?.range == .rest(from: 50_000))
    }

    @Test func whatItThrowsAgainAndAgainIsTheUnderlyingError() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let (test, calls) = try failing(PlainError(), times: .max)
        let error = try #require(try await test.manager.download(server.url("/f?id=hidden-word")).ended().error)
        #expect(error.code == .prepare && error.isRetryable && error.underlying is PlainError)
        #expect(error.message.contains("/f?…") && !error.message.contains("hidden-word") && !error.keptPartialFile)
        #expect(calls.values.count == 4 && server.requests.isEmpty && test.names.isEmpty)
    }

    @Test(arguments: [(true, 4), (false, 1)]) func aDownloadErrorSaysWhetherARetryHelps(
        isRetryable: Bool,
        attempts: Int
    ) async throws {
        let server = try TestServer { .file([1], for: $0) }
        // Its status is not that of the file's server: no fresh attempt follows.
        let thrown = DownloadError(.httpStatus, "No licence.", isRetryable: isRetryable, statusCode: 403)
        let (test, calls) = try failing(thrown, times: .max)
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .prepare && error.isRetryable == isRetryable && error.message.contains("No licence"))
        #expect((error.underlying as? DownloadError)?.code == .httpStatus && calls.values.count == attempts)
    }

    @Test func aCancellationOfItsOwnIsAFailureLikeOthers() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let (test, calls) = try failing(CancellationError(), times: 1)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(calls.values.last?.previousError?.underlying is CancellationError)
    }

    @Test func aTextForPeopleIsInTheMessage() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let (test, _) = try failing(SpeakingError(), times: .max)
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.message.contains("(The token server is down)") == true)
    }

    @Test(
        arguments: [
            ("ftp://host/hidden-word", .unsupportedScheme), ("file:///hidden-word", .unsupportedScheme),
            ("http:///hidden-word", .badURL), ("hidden-word", .badURL), ("http://host:99999/hidden-word", .badURL),
        ] as [(String, DownloadError.Code)]
    )
    func aURLThatCannotBeUsedFailsAtOnce(text: String, code: DownloadError.Code) async throws {
        let server = try TestServer { .file([1], for: $0) }
        let url = try #require(URL(string: text))
        let test = try TestManager { $0.prepare = { _, _ in DownloadRequest(url) } }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == code && !error.isRetryable && test.names.isEmpty)
        #expect(error.message.contains("/f") && !error.message.contains("hidden-word"), "\(error)")
    }

    @Test(arguments: [("Range", "bytes=0-1"), ("X-A", "hidden\r\nX-B: word"), ("X hidden", "word")])
    func aHeaderThatCannotBeSentFailsAtOnce(name: String, value: String) async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager { configuration in
            configuration.prepare = { request, _ in
                var request = request
                request.headers[name] = value
                return request
            }
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .badHeader && !error.isRetryable && server.requests.isEmpty && test.names.isEmpty)
        #expect(error.message.contains("/f") && !error.message.contains("hidden"), "\(error)")
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
        let test = try TestManager { configuration in
            configuration.retry = .never
            configuration.prepare = { request, _ in
                var request = request
                request.url = server.url("/hidden-path/x?sig=hidden-word", authority: "hidden-word:w@127.0.0.1")
                request.headers = ["X-Fresh": "hidden-word"]
                return request
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
        let test = try TestManager { configuration in
            configuration.retry = .never
            configuration.prepare = { _, _ in DownloadRequest(url) }
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .connectionFailed && error.message.contains("127.0.0.1:\(dead.port)"))
        #expect(!error.message.contains("hidden-path"))
    }
}
