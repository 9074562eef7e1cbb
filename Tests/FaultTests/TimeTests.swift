import Foundation
import Spate
import SpateTestSupport
import Testing

/// Servers that are slow or busy (ResumptionRules.md 80, 81, 86, 88 and 99). How long Retry-After makes a host wait is in
/// RetryAfterTests and the simulation.
@Suite(.mostlyWaits) struct TimeTests {
    @Test func aDrippedHeadMeetsADeadline() async throws {
        let server = try TestServer {
            .file([1], for: $0).dripped(bytes: 1, every: .milliseconds(50), includingHead: true)
        }
        let test = try TestManager {
            $0.stallTimeout = .milliseconds(400)
            $0.retry.maxRetriesWithoutProgress = 1
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .timedOut && error.isRetryable && !error.keptPartialFile)
        #expect(try await server.waitForRequests(2).count == 2 && test.names.isEmpty)
    }

    @Test func aStalledBodyIsContinued() async throws {
        let bytes = FaultStory.bytes
        let server = try TestServer { request in
            let reply = Reply.file(FaultStory.file, for: request)
            return request.range == nil ? reply.stalled(after: 100_000) : reply
        }
        let test = try TestManager {
            $0.stallTimeout = .seconds(1)
            // On a busy machine the connection may stall before its first byte.
            $0.retry.maxRetriesWithoutProgress = 1_000
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.first?.range == nil && server.requests.last?.range != nil)
    }

    @Test func aBodyThatAlwaysStallsIsGivenUp() async throws {
        let server = try TestServer { .file(FaultStory.file, for: $0).stalled(after: 0) }
        let test = try TestManager {
            $0.stallTimeout = .milliseconds(200)
            $0.retry.maxRetriesWithoutProgress = 1
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .timedOut && error.isRetryable)
        #expect(try await server.waitForRequests(2).count == 2)
    }

    /// To its end this body would take days.
    @Test func anUnwantedBodyThatTricklesIsNotWaitedFor() async throws {
        let server = try TestServer { request in
            if request.path != "/moved" { return .file([1, 2], for: request) }
            return .status(302, fields: ["Location": "/f"], body: String(repeating: "x", count: 30_000))
                .dripped(bytes: 1, every: .seconds(1))
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/moved")).ended().get()
        #expect(try test.bytes("moved") == [1, 2])
    }

    /// The one slot is held by a download whose preparation takes longer than any limit.
    @Test func waitingForASlotNeverTimesOut() async throws {
        let server = try TestServer { .file([1, 2], for: $0) }
        let gate = Watched(false)
        let test = try TestManager {
            $0.maxConcurrentDownloads = 1
            $0.connectTimeout = .milliseconds(100)
            $0.stallTimeout = .milliseconds(100)
            // On a busy machine a request may take longer than that.
            $0.retry.maxRetriesWithoutProgress = 1_000
            $0.prepare = { request, _ in
                if request.url.path == "/first" { try await gate.wait(until: { $0 }) }
                return request
            }
        }
        let downloads = test.manager.download([server.url("/first"), server.url("/second")])
        // That nothing happens cannot be waited for.
        try await Task.sleep(for: .milliseconds(500))
        guard case .waiting(.slot) = downloads[1].state else {
            Issue.record("it does not wait: \(downloads[1].state)")
            return
        }
        gate.update { $0 = true }
        for download in downloads { _ = try await download.ended().get() }
    }
}

/// No connection, for one reason or another (ResumptionRules.md 87).
@Suite(.takesTurns) struct TimeConnectTests {
    private func error(of url: URL, connectTimeout: Duration = .seconds(120)) async throws -> DownloadError {
        let test = try TestManager {
            $0.retry = .never
            $0.connectTimeout = connectTimeout
        }
        let error = try #require(try await test.manager.download(url).ended().error)
        #expect(!error.keptPartialFile && test.names.isEmpty && error.isRetryable)
        return error
    }

    @Test func anUnknownHostIsNamed() async throws {
        let error = try await error(of: try #require(URL(string: "http://nothing-here.invalid/f")))
        #expect(error.code == .hostNotFound && error.description.contains("nothing-here.invalid"))
        #expect(error.message == "Host not found. Check the name and the network connection.")
    }

    @Test func aRefusedConnectionIsReportedWithItsPort() async throws {
        let port = try DeadPort(.refusing)
        let error = try await error(of: port.url("/f"))
        #expect(error.code == .connectionFailed && error.description.contains("\(port.port)"))
        #expect(error.message == "Connection refused. Check that the server is running and reachable.")
    }

    @Test func anAddressWithoutARouteFails() async throws {
        // The broadcast address: no socket may connect to it.
        let url = try #require(URL(string: "http://255.255.255.255/f"))
        #expect(try await [.connectionFailed, .timedOut].contains(error(of: url, connectTimeout: .seconds(1)).code))
    }

    @Test func aHostOrAHandshakeThatDoesNotAnswerMeetsTheConnectDeadline() async throws {
        let (port, server) = (try DeadPort(.unanswering), try TestServer { _ in .silence })
        for url in [port.url("/f"), try #require(URL(string: "https://127.0.0.1:\(server.port)/f"))] {
            #expect(try await error(of: url, connectTimeout: .milliseconds(300)).code == .timedOut)
        }
    }
}
