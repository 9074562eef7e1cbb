import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// What a refusal of one request means for others of its host. The rest is in `HostRestraintTests` and the simulation.
@Suite(.takesTurns) struct HostRefusalTests {
    /// A server that refuses the first request for minutes, and a manager with one slot that would wait for them.
    private func scene(
        refusing status: Int = 503,
        retry: RetryPolicy = RetryPolicy()
    ) throws -> (server: TestServer, test: TestManager) {
        let server = try TestServer { request in
            request.path == "/refused" && request.visit == 1
                ? .status(status, fields: ["Retry-After": "290"], body: "busy") : .file([1], for: request)
        }
        let test = try TestManager {
            $0.maxConcurrentDownloads = 1
            $0.retry = retry
        }
        return (server, test)
    }

    @Test(arguments: [429, 503]) func aTimeHoldsForAllDownloadsFromTheHost(status: Int) async throws {
        let (server, test) = try scene(refusing: status)
        let other = try TestServer { .file([2], for: $0) }
        let start = Date()
        let refused = test.manager.download(server.url("/refused"))
        let second = test.manager.download(server.url("/second"))
        let elsewhere = test.manager.download(other.url("/elsewhere"))
        try await eventually("it waits for its host") { second.waitsForHost }
        // It holds no slot: the only one is free for another host.
        _ = try await elsewhere.ended().get()
        guard case .waiting(.retry(let date, let error)) = refused.state else {
            Issue.record("not to be retried: \(refused.state)")
            return
        }
        #expect(error.statusCode == status && date.timeIntervalSince(start) >= 290)
        #expect(server.requests.count == 1)
    }

    @Test func resumingTriesNow() async throws {
        let (server, test) = try scene()
        let downloads = test.manager.download(["/refused", "/second", "/third"].map { server.url($0) })
        try await eventually("it waits for its host") { downloads[2].waitsForHost }
        for download in [downloads[1], downloads[0]] {
            download.resume()
            _ = try await download.ended().get()
        }
        try await eventually("the other still waits") { downloads[2].waitsForHost }
        #expect(server.requests.map(\.path) == ["/refused", "/second", "/refused"])
    }

    /// Only `resume()` asks before the time is over.
    @Test func aPausedDownloadThatIsEnqueuedAgainWaitsForItsHost() async throws {
        let (server, test) = try scene()
        let downloads = test.manager.download(["/refused", "/second"].map { server.url($0) })
        try await eventually("it waits for its host") { downloads[1].waitsForHost }
        downloads[1].pause()
        #expect(test.manager.download(server.url("/second")) === downloads[1])
        try await eventually("it waits again, or is over") {
            downloads[1].waitsForHost || downloads[1].state.isTerminal
        }
        #expect(downloads[1].waitsForHost && server.requests.map(\.path) == ["/refused"])
    }

    @Test func aPolicyThatRetriesNothingHoldsOthersBackAllTheSame() async throws {
        let (server, test) = try scene(retry: .never)
        let downloads = test.manager.download([server.url("/refused"), server.url("/a")])
        #expect(try await downloads[0].ended().error?.statusCode == 503)
        try await eventually("it waits") { downloads[1].waitsForHost }
    }
}
