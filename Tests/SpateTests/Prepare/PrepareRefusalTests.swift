import Foundation
import Spate
import TestSupport
import Testing

/// A status that says that the URL or the credentials have expired leads to one fresh attempt at once.
@Suite(.takesTurns) struct PrepareRefusalTests {
    private let bytes = TestBytes.random(count: 300_000)

    /// A manager that signs the URL with the number of the attempt.
    private func signing(
        _ server: TestServer,
        retry: RetryPolicy = .never,
        _ calls: Recorder<Int?> = Recorder()
    ) throws -> TestManager {
        let port = server.port
        return try TestManager { configuration in
            configuration.retry = retry
            configuration.maxConcurrentDownloads = 1
            configuration.prepare = { request, attempt in
                calls.append(attempt.previousError?.statusCode)
                var request = request
                request.url =
                    URL(string: "http://127.0.0.1:\(port)\(request.url.path)?sig=\(attempt.number)") ?? request.url
                return request
            }
        }
    }

    @Test(arguments: [401, 403, 404, 410]) func anExpiredURLIsReplacedAtOnce(status: Int) async throws {
        let server = try TestServer { [bytes] request in
            request.target == "/f?sig=1" ? .status(status) : .file(bytes, for: request)
        }
        let calls = Recorder<Int?>()
        let test = try signing(server, calls)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map(\.target) == ["/f?sig=1", "/f?sig=2"] && calls.values == [nil, status])
    }

    @Test func theSecondRefusalIsAFailure() async throws {
        let server = try TestServer { _ in .status(403, body: "no") }
        let test = try signing(server, retry: RetryPolicy())
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .httpStatus && error?.statusCode == 403 && server.requests.count == 2)
        #expect(error?.message.contains("sig") == false && test.names.isEmpty)
    }

    @Test func bytesThatAdvanceAllowAnother() async throws {
        // Each signature is good for one range: bytes come, the connection is cut, and the next request is refused once.
        let server = try TestServer { [bytes] request in
            switch request.sequence {
            case 1, 3: .file(bytes, etag: "\"v1\"", for: request).cut(after: 100_000)
            case 2, 4: .status(403)
            default: .file(bytes, etag: "\"v1\"", for: request)
            }
        }
        let retry = RetryPolicy(maxRetriesWithoutProgress: 1, firstDelay: .milliseconds(1))
        let test = try signing(server, retry: retry)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        let ranges: [String?] = [
            nil, .rest(from: 100_000), .rest(from: 100_000), .rest(from: 195_904), .rest(from: 195_904),
        ]
        #expect(server.requests.map(\.range) == ranges)
    }

    @Test func theFreshAttemptComesBeforeDownloadsThatWait() async throws {
        let server = try TestServer { request in request.target == "/a?sig=1" ? .status(403) : .file([1], for: request)
        }
        let test = try signing(server)
        let downloads = test.manager.download(["/a", "/b", "/c"].map { server.url($0) })
        for download in downloads { _ = try await download.ended().get() }
        #expect(server.requests.map(\.target) == ["/a?sig=1", "/a?sig=2", "/b?sig=1", "/c?sig=1"])
    }

    @Test func aRedirectThatIsRefusedLeadsBackToPrepare() async throws {
        let server = try TestServer { [bytes] request in
            switch request.path {
            case "/f": .redirect(to: "/signed/\(request.target.suffix(1))")
            case "/signed/1": .status(403)
            default: .file(bytes, for: request)
            }
        }
        let test = try signing(server)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map(\.target) == ["/f?sig=1", "/signed/1", "/f?sig=2", "/signed/2"])
    }
}
