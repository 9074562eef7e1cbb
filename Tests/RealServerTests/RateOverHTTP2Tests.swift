import Foundation
import Spate
import SpateTestSupport
import Testing

/// Limits of the rate, where the server speaks HTTP/2.
@Suite(.mostlyWaits, .needsNginx) struct RateOverHTTP2Tests {
    @Test func underALimitRequestsGoOutOverHTTP1() async throws {
        let story = try await RealStory(.http2) { $0.maxBytesPerSecond = 20_000_000 }
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        try await story.publishes(story.test.manager.download(story.server.url("/f")))
        let log = try await story.server.waitForLog(1)
        #expect(log.count == 1 && log.allSatisfy { $0.version == "HTTP/1.1" && $0.range == nil })
    }

    /// So slow that it cannot end before the limit is set.
    private static let slowHTTP2 = "map $server_protocol $rate { HTTP/2.0 1k; default 0; }"

    @Test func whatRunsIsContinuedOverHTTP1WhenALimitIsSet() async throws {
        let settings = NginxSettings(http: Self.slowHTTP2, server: "limit_rate $rate; limit_rate_after 1m;")
        let log = try await logOfALimitSetLate(settings)
        let rest = try #require(log.first { $0.version == "HTTP/1.1" })
        #expect(rest.status == 206 && rest.ifRange != nil && rest.isComplete)
        #expect(log.count <= 2)
    }

    /// The answer to the rest is the whole again, for which an attempt that has advanced makes room for another.
    @Test func whatCannotBeContinuedIsFetchedAgain() async throws {
        let settings = NginxSettings(
            http: Self.slowHTTP2,
            server: """
                limit_rate $rate; limit_rate_after 1m;
                etag off; max_ranges 0; add_header Last-Modified "";
                """
        )
        let log = try await logOfALimitSetLate(settings)
        #expect(log.dropFirst().allSatisfy { $0.version == "HTTP/1.1" && $0.status == 200 })
        #expect(log.count <= 3)
    }

    /// The requests of a download that got its limit after a part had come.
    private func logOfALimitSetLate(_ settings: NginxSettings) async throws -> [NginxLogEntry] {
        let story = try await RealStory(.http2, settings: settings)
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        let download = try await story.begin()
        download.maxBytesPerSecond = 20_000_000
        try await story.publishes(download)
        #expect(download.result != nil)
        return try await story.server.waitForLog { $0.contains { $0.version == "HTTP/1.1" } }
    }
}
