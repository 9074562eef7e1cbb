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
