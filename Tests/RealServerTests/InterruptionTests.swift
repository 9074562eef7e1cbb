import Foundation
import Spate
import SpateTestSupport
import Testing

/// A server that stops, or goes over to other processes, in the middle of transfers, or has no time now.
@Suite(.mostlyWaits, .needsNginx) struct InterruptionTests {
    private static let size = RealStory.bytes.count

    @Test(arguments: NginxServer.Way.allCases, [NginxServer.Stop.killed, .fast])
    func aStopInTheMiddleCostsNothing(over way: NginxServer.Way, by stop: NginxServer.Stop) async throws {
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin()
        try await story.server.stop(stop)
        try await story.server.start()
        try await story.publishes(download)
        // It went on from where it stood, at what had been received at the least.
        let answer = try #require(try await story.answersToRanges().first)
        #expect(answer.bodyBytes <= Self.size - Int(RealStory.held) + RealStory.seam)
        try await story.continues(from: Self.size - answer.bodyBytes)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func threeStopsInTheMiddleCostNothing(over way: NginxServer.Way) async throws {
        // Every answer stops short, but for that to a range that begins late.
        let settings = NginxSettings(
            http: "map $http_range $rate { ~bytes=[23]\\d\\d\\d\\d\\d\\d- 0; default 1; }",
            server: "limit_rate $rate; limit_rate_after 800k;"
        )
        let story = try await RealStory(way, settings: settings)
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        let received = Recorder<Int64>()
        let download = story.test.manager.download(
            story.server.url("/f"),
            progress: { received.append($0.receivedBytes) }
        )
        for stops in 1...3 {
            try await received.wait(until: { ($0.last ?? 0) >= 800_000 * stops })
            try await story.server.stop(.killed)
            try await story.server.start()
        }
        try await story.publishes(download)
        let values = received.values
        #expect(values == values.sorted(), "what has been received does not become less")
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aGracefulStopLetsATransferEnd(over way: NginxServer.Way) async throws {
        let story = try await RealStory(way, settings: NginxSettings(server: "limit_rate 1500k;"))
        try story.server.put(RealStory.bytes, as: "f")
        let download = try await story.begin(until: 200_000)
        try await story.server.stop(.graceful)
        try await story.publishes(download)
        #expect(story.server.log.map(\.status) == [200])
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aPausedDownloadIsNoLongerServed(over way: NginxServer.Way) async throws {
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin()
        _ = try await story.pause(download)
        // Nothing else goes over that connection, which could bring the news to the server.
        let log = try await story.server.waitForLog(1)
        #expect(log.map(\.status) == [200] && !log[0].isComplete)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aBodyOfUnknownLengthThatWasCutIsFetchedAnew(over way: NginxServer.Way) async throws {
        // So answered, a file has neither a validator nor ranges.
        let directives = "ssi on; ssi_types *;"
        let story = try await RealStory.interrupted(way, server: directives)
        let download = try await story.begin()
        try await story.server.stop(.killed)
        try story.server.put(RealStory.other, as: "f", modified: RealStory.date)
        try await story.server.start()
        try await story.publishes(download, RealStory.other)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aBusyServerIsAskedAgainAfterItsRetryAfter(over way: NginxServer.Way) async throws {
        let busy = "location = /f { add_header Retry-After 1 always; return 503; }"
        let story = try await RealStory(way, settings: NginxSettings(server: busy)) { $0.retry.firstDelay = .zero }
        try story.server.put(RealStory.bytes, as: "f")
        let began = Date()
        let download = story.test.manager.download(story.server.url("/f"))
        let (date, error) = try await firstWait(of: download)
        #expect(error.statusCode == 503 && error.isRetryable && date.timeIntervalSince(began) >= 0.95)
        try await story.server.reload(NginxSettings())
        try await story.publishes(download)
        let log = try await story.server.waitForLog(2)
        #expect(log.last?.status == 200 && log.dropLast().allSatisfy { $0.status == 503 })
    }

    private func firstWait(of download: Download) async throws -> (date: Date, error: DownloadError) {
        let wait = try await withDeadline(for: "a wait for a retry") {
            for await case .state(.waiting(.retry(let date, let error))) in download.events {
                return Optional((date: date, error: error))
            }
            return nil
        }
        return try #require(wait)
    }
}
