import Foundation
import Spate
import TestSupport
import Testing

/// A server that has no time now.
@Suite(.mostlyWaits, .needsNginx) struct BusyServerTests {
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
