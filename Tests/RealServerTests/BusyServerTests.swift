import Foundation
import Spate
import TestSupport
import Testing

/// A server that has no time now.
@Suite(.needsNginx) struct BusyServerTests {
    @Test(arguments: NginxServer.Way.allCases)
    func aServerThatComesBackIsAskedAgainWhenItSaid(over way: NginxServer.Way) async throws {
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

    @Test(arguments: NginxServer.Way.allCases)
    func aBusySpellInTheMiddleIsNoPartOfTheFile(over way: NginxServer.Way) async throws {
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin()
        let held = try await story.pause(download)
        try await story.server.reload(NginxSettings(server: "location = /f { return 503; }"))
        download.resume()
        _ = try await story.answersToRanges(2)
        try await story.server.reload(NginxSettings())
        try await story.publishes(download)
        let answers = try await story.answersToRanges(3)
        #expect(answers.allSatisfy { $0.range == "bytes=\(held)-" })
        #expect(answers.dropLast().allSatisfy { $0.status == 503 } && answers.last?.status == 206)
        #expect(answers.last?.bodyBytes == RealStory.bytes.count - held)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aLimitOfOneAtATimeIsLivedWith(over way: NginxServer.Way) async throws {
        let settings = NginxSettings(
            http: "limit_conn_zone $server_addr zone=one:1m;",
            server: "limit_conn one 1; limit_rate 200k;"
        )
        let story = try await RealStory(way, settings: settings) { $0.retry.maximumDelay = .milliseconds(100) }
        let files = (0..<4).map { TestBytes.random(count: 400_000, seed: UInt64($0)) }
        for (number, bytes) in files.enumerated() { try story.server.put(bytes, as: "\(number)") }
        let downloads = story.test.manager.download(files.indices.map { story.server.url("/\($0)") })
        for (number, download) in downloads.enumerated() {
            _ = try await download.ended().get()
            #expect(TestBytes.difference(try story.test.bytes("\(number)"), from: files[number]) == nil)
        }
        let log = story.server.log
        #expect(log.contains { $0.status == 503 } && log.allSatisfy { [200, 503].contains($0.status) })
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
