import Foundation
import Spate
import TestSupport
import Testing

/// Limits of the rate, where the server speaks HTTP/2.
@Suite(.needsNginx) struct RateOverHTTP2Tests {
    @Test func underALimitRequestsGoOutOverHTTP1() async throws {
        let story = try await RealStory(.http2) { $0.maxBytesPerSecond = 20_000_000 }
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        try await story.publishes(story.test.manager.download(story.server.url("/f")))
        let log = try await story.server.waitForLog(1)
        #expect(log.count == 1 && log.allSatisfy { $0.version == "HTTP/1.1" && $0.range == nil })
    }

    @Test func whatRunsIsContinuedOverHTTP1WhenALimitIsSet() async throws {
        let settings = NginxSettings(
            // So slow that it cannot end before the limit is set.
            http: "map $server_protocol $rate { HTTP/2.0 1k; default 0; }",
            server: "limit_rate $rate; limit_rate_after 1m;"
        )
        let story = try await RealStory(.http2, settings: settings)
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        let download = try await story.begin()
        download.maxBytesPerSecond = 20_000_000
        try await story.publishes(download)
        let log = try await story.server.waitForLog { $0.contains { $0.version == "HTTP/1.1" } }
        let rest = try #require(log.first { $0.version == "HTTP/1.1" })
        #expect(rest.status == 206 && rest.ifRange != nil && rest.isComplete)
        #expect(download.result != nil && log.count <= 2)
    }
}
