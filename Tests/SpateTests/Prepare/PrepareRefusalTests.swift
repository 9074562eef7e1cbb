import Foundation
import Spate
import SpateTestSupport
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
        try TestManager {
            $0.retry = retry
            $0.prepares { request, attempt in
                calls.append(attempt.previousError?.statusCode)
                request.url = server.url("\(request.url.path)?sig=\(attempt.number)")
            }
        }
    }

    @Test(arguments: [401, 410]) func anExpiredURLIsReplacedAtOnce(status: Int) async throws {
        let server = try TestServer { [bytes] request in
            request.target == "/f?sig=1" ? .status(status) : .file(bytes, for: request)
        }
        let calls = Recorder<Int?>()
        let test = try signing(server, calls)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map(\.target) == ["/f?sig=1", "/f?sig=2"] && calls.values == [nil, status])
    }

    /// GCS answers 400 to a signature that has expired. To a range request 400 may also mean that ranges are not understood
    /// (rule 96), so the URL is asked once more without one first.
    @Test func aSignatureThatExpiredMidwayIsReplacedAndTheRestFetched() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return switch request.target {
            case "/f?sig=1": reply.cut(after: 100_000)
            case "/f?sig=2": .status(400, body: "ExpiredToken")
            default: reply
            }
        }
        let test = try signing(server, retry: RetryPolicy(maxRetriesWithoutProgress: 1, firstDelay: .zero))
        let file = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference([UInt8](try Data(contentsOf: file)), from: bytes) == nil)
        #expect(server.requests.map(\.target) == ["/f?sig=1", "/f?sig=2", "/f?sig=2", "/f?sig=3"])
        #expect(server.requests.last?.range != nil)
    }

    @Test func theSecondRefusalIsAFailure() async throws {
        let server = try TestServer { _ in .status(403, body: "no") }
        let test = try signing(server, retry: RetryPolicy())
        let error = try await test.manager.download(server.url("/f")).ended().error
        #expect(error?.code == .httpStatus && error?.statusCode == 403 && server.requests.count == 2)
        #expect(error?.message.contains("sig") == false && test.names.isEmpty)
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
