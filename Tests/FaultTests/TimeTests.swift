import Foundation
import Spate
import TestSupport
import Testing

/// Servers that are slow or busy (ResumptionRules.md 80, 81, 85, 86 and 88).
@Suite(.mostlyWaits) struct TimeTests {
    private let bytes = TestBytes.random(count: 300_000)

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
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
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

    @Test func aBodyThatAlwaysStallsIsGivenUpAndItsBytesKept() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0).stalled(after: 0) }
        let test = try TestManager {
            $0.stallTimeout = .milliseconds(200)
            $0.retry.maxRetriesWithoutProgress = 1
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .timedOut && error.isRetryable)
        #expect(try await server.waitForRequests(2).count == 2)
    }

    /// Status, Retry-After, and the least wait that follows from them where two seconds are the most.
    static let waits: [(status: Int, value: @Sendable () -> String, least: Duration)] = [
        (503, { "1" }, .seconds(1)),
        // In whole seconds, so that up to one of them is gone already.
        (503, { text(of: Date() + 3) }, .seconds(1.9)),
        (429, { "99999999999999999999" }, .seconds(2)),
        (503, { "Fri, 31 Dec 9999 23:59:59 GMT" }, .seconds(2)),
        (503, { "-5" }, .zero),
        (503, { "Thu, 01 Jan 1970 00:00:00 GMT" }, .zero),
        (429, { "soon" }, .zero),
    ]

    @Test func aRetryAfterIsHonouredWithinReason() async throws {
        try await together(Self.waits) { try await expectWait(of: $0.least, after: $0.status, retryAfter: $0.value) }
    }

    private func expectWait(
        of least: Duration,
        after status: Int,
        retryAfter value: @escaping @Sendable () -> String
    ) async throws {
        let server = try TestServer { request in
            request.visit == 1
                ? .status(status, fields: ["Retry-After": value()], body: "later") : .file([1, 2], for: request)
        }
        let test = try TestManager { $0.retry.maximumRetryAfter = .seconds(2) }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        let requests = server.requests
        let comment: Comment = "after \(status) with Retry-After: \(value())"
        try #require(try requests.count == 2 && test.bytes("f") == [1, 2], comment)
        // The clock of a date counts from another zero than the one that measures.
        #expect(requests[1].receivedAt - requests[0].receivedAt >= least - .milliseconds(20), comment)
    }

    @Test(arguments: [500, 502, 503, 504, 507, 599, 408, 425, 429]) func aStatusThatMayPassIsTriedAgain(
        status: Int
    ) async throws {
        let server = try TestServer { request in
            request.visit == 1 ? .status(status, body: "not now") : .file([1, 2], for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(try server.requests.count == 2 && test.bytes("f") == [1, 2])
    }

    @Test func anUnwantedBodyThatTricklesIsNotWaitedFor() async throws {
        // To their ends these bodies would take days.
        let trickle: @Sendable (Reply) -> Reply = { reply in reply.dripped(bytes: 1, every: .seconds(1)) }
        let page = String(repeating: "x", count: 30_000)
        let server = try TestServer { request in
            switch request.path {
            case "/missing": trickle(.status(404, body: page))
            case "/moved": trickle(.status(302, fields: ["Location": "/f"], body: page))
            default: .file([1, 2], for: request)
            }
        }
        let test = try TestManager()
        let downloads = test.manager.download([server.url("/missing"), server.url("/moved")])
        await #expect(throws: DownloadError.self) { try await downloads[0].ended().get() }
        _ = try await downloads[1].ended().get()
        #expect(try test.bytes("moved") == [1, 2])
    }

    @Test func waitingForASlotNeverTimesOut() async throws {
        let server = try TestServer { .file([1, 2, 3, 4], for: $0).dripped(bytes: 1, every: .milliseconds(60)) }
        // So long that no machine is ever too busy to move a byte meanwhile.
        let limit = Duration.seconds(4)
        let test = try TestManager {
            $0.connectTimeout = limit
            $0.stallTimeout = limit
            $0.retry = .never
        }
        let began = ContinuousClock.now
        let downloads = test.manager.download((0..<80).map { server.url("/\($0)") })
        for download in downloads { _ = try await download.ended().get() }
        // Else no download has waited longer than the limits.
        #expect(ContinuousClock.now - began > limit)
        #expect(server.mostAtOnce == 3 && server.requests.count == 80 && test.names.count == 80)
    }

    private static func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

/// No connection, for one reason or another (ResumptionRules.md 87).
@Suite(.takesTurns) struct TimeConnectTests {
    private func error(
        of url: URL,
        connectTimeout: Duration = .seconds(120)
    ) async throws -> DownloadError {
        let test = try TestManager {
            $0.retry = .never
            $0.connectTimeout = connectTimeout
        }
        let error = try #require(try await test.manager.download(url).ended().error)
        #expect(!error.keptPartialFile && test.names.isEmpty)
        return error
    }

    @Test func anUnknownHostIsNamed() async throws {
        let error = try await error(of: try #require(URL(string: "http://nothing-here.invalid/f")))
        #expect(error.code == .hostNotFound && error.isRetryable && error.message.contains("nothing-here.invalid"))
    }

    @Test func aRefusedConnectionIsReportedWithItsPort() async throws {
        let port = try DeadPort(.refusing)
        let error = try await error(of: port.url("/f"))
        #expect(error.code == .connectionFailed && error.isRetryable && error.message.contains("\(port.port)"))
    }

    @Test func aHostThatDoesNotAnswerMeetsTheConnectDeadline() async throws {
        let port = try DeadPort(.unanswering)
        let error = try await error(of: port.url("/f"), connectTimeout: .milliseconds(300))
        #expect(error.code == .timedOut && error.isRetryable)
    }

    @Test func anAddressWithoutARouteFails() async throws {
        // The broadcast address: no socket may connect to it.
        let error = try await error(
            of: try #require(URL(string: "http://255.255.255.255/f")),
            connectTimeout: .seconds(1)
        )
        #expect([.connectionFailed, .timedOut].contains(error.code) && error.isRetryable)
    }

    @Test func aHandshakeThatNeverComesMeetsTheConnectDeadline() async throws {
        let server = try TestServer { _ in .silence }
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/f"))
        let error = try await error(of: url, connectTimeout: .milliseconds(300))
        #expect(error.code == .timedOut && error.isRetryable)
    }
}
