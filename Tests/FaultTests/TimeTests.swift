import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Time and abuse": servers that are slow, busy or out of reach.
@Suite struct TimeTests {
    private let bytes = TestBytes.random(count: 300_000)

    @Test func line80AHeadThatIsDrippedMeetsADeadline() async throws {
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

    @Test func line81AStalledBodyIsContinued() async throws {
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

    @Test func line81ABodyThatAlwaysStallsIsGivenUpAndItsBytesKept() async throws {
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
        (429, { "1" }, .seconds(1)),
        // In whole seconds, so that up to one of them is gone already.
        (503, { text(of: Date() + 3) }, .seconds(1.9)),
        (429, { "99999999999999999999" }, .seconds(2)),
        (503, { "Fri, 31 Dec 9999 23:59:59 GMT" }, .seconds(2)),
        (503, { "-5" }, .zero),
        (503, { "Thu, 01 Jan 1970 00:00:00 GMT" }, .zero),
        (429, { "soon" }, .zero),
        (503, { "" }, .zero),
    ]

    @Test(arguments: waits.indices) func line85ARetryAfterIsHonouredWithinReason(index: Int) async throws {
        let (status, value, least) = Self.waits[index]
        let server = try TestServer { request in
            request.visit == 1
                ? .status(status, fields: ["Retry-After": value()], body: "later") : .file([1, 2], for: request)
        }
        let test = try TestManager { $0.retry.maximumRetryAfter = .seconds(2) }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        let requests = server.requests
        #expect(try requests.count == 2 && test.bytes("f") == [1, 2])
        // The clock of a date counts from another zero than the one that measures.
        #expect(requests[1].receivedAt - requests[0].receivedAt >= least - .milliseconds(20))
    }

    @Test func line85ManyThatWereSentAwayDoNotComeBackTogether() async throws {
        let server = try TestServer { _ in .status(503, fields: ["Retry-After": "1"], body: "later") }
        let test = try TestManager {
            $0.maxConcurrentDownloads = 8
            $0.retry.firstDelay = .seconds(60)
            $0.retry.maximumDelay = .seconds(60)
            // On a busy machine the first look may come when some have been tried again.
            $0.retry.maxRetriesWithoutProgress = 1_000
        }
        let downloads = test.manager.download((0..<8).map { server.url("/\($0)") })
        let dates = try await withDeadline {
            var dates: [Date] = []
            for download in downloads {
                for await case .state(.waiting(.retry(let date, _))) in download.events {
                    dates.append(date)
                    break
                }
            }
            return dates.sorted()
        }
        // All were told at nearly the same time to wait for one second; chance adds up to a minute to that.
        #expect(dates.count == 8 && dates[7].timeIntervalSince(dates[0]) > 5)
    }

    @Test(arguments: [500, 502, 503, 504, 507, 599, 408, 425, 429]) func line86AStatusThatMayPassIsTriedAgain(
        status: Int
    ) async throws {
        let server = try TestServer { request in
            request.visit == 1 ? .status(status, body: "not now") : .file([1, 2], for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(try server.requests.count == 2 && test.bytes("f") == [1, 2])
    }

    @Test(arguments: [
        400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 413, 414, 418, 422, 423, 426, 431, 451, 499,
    ])
    func line86AnyOtherRefusalFailsAtOnce(status: Int) async throws {
        let server = try TestServer { _ in .status(status, body: "no") }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .httpStatus && error.statusCode == status && !error.isRetryable)
        #expect(server.requests.count == 1 && test.names.isEmpty && !error.keptPartialFile)
    }

    @Test func line88WaitingForAPlaceNeverTimesOut() async throws {
        let server = try TestServer { .file([1, 2, 3, 4], for: $0).dripped(bytes: 1, every: .milliseconds(60)) }
        // So long that no machine is ever too busy to move a byte meanwhile.
        let limit = Duration.seconds(15)
        let test = try TestManager {
            $0.connectTimeout = limit
            $0.stallTimeout = limit
            $0.retry = .never
        }
        let began = ContinuousClock.now
        let downloads = test.manager.download((0..<200).map { server.url("/\($0)") })
        for download in downloads { _ = try await download.ended().get() }
        // Else no download has waited longer than the limits.
        #expect(ContinuousClock.now - began > limit)
        #expect(server.mostAtOnce == 3 && server.requests.count == 200 && test.names.count == 200)
    }

    private static func text(of date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
