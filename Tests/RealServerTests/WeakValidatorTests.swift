import Foundation
import Spate
import TestSupport
import Testing

/// A file that has become another, and a server that does not say so.
@Suite(.needsNginx) struct WeakValidatorTests {
    /// A date that proves nothing: the file may become another within that second, which is yet to come.
    private let soon = Date().addingTimeInterval(3_600)
    private let bytes = RealStory.bytes

    @Test(arguments: NginxServer.Way.allCases)
    func aFileReplacedAtOnceIsNeverJoined(over way: NginxServer.Way) async throws {
        // Both files are of this second, or else they differ in their dates.
        let story = try await RealStory(way, settings: .stopping(after: RealStory.stop, server: "etag off;"))
        try story.server.put(bytes, as: "f")
        let download = try await story.begin()
        _ = try await story.pause(download)
        try story.server.put(RealStory.other, as: "f")
        try await story.server.reload(NginxSettings(server: "etag off;"))
        download.resume()
        try await story.publishes(download, RealStory.other)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aDateThatProvesNothingLeadsToAComparison(over way: NginxServer.Way) async throws {
        let story = try await RealStory(way, settings: .stopping(after: RealStory.stop, server: "etag off;"))
        try story.server.put(bytes, as: "f", modified: soon)
        let download = try await story.begin()
        let held = try await story.pause(download)
        download.resume()
        try await story.publishes(download)
        try await story.continues(from: held - 65_536)
        #expect(story.server.log.allSatisfy { $0.ifRange == nil })
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aComparisonTellsAnotherFileOfTheSameDateAndSize(over way: NginxServer.Way) async throws {
        let story = try await RealStory(way, settings: .stopping(after: RealStory.stop, server: "etag off;"))
        try story.server.put(bytes, as: "f", modified: soon)
        let download = try await story.begin()
        _ = try await story.pause(download)
        try story.server.put(RealStory.other, as: "f", modified: soon)
        try await story.server.reload(NginxSettings(server: "etag off;"))
        download.resume()
        try await story.publishes(download, RealStory.other)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aTagThatLiesIsFoundOutByTheChecksum(over way: NginxServer.Way) async throws {
        // The server makes its tags of size and date: with both the same, so is the tag of another file.
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin { $0.sha256 = Self.sha256OfOther }
        let held = try await story.pause(download)
        try story.server.put(RealStory.other, as: "f", modified: RealStory.date)
        try await story.server.reload(NginxSettings())
        download.resume()
        try await story.publishes(download, RealStory.other)
        // The rest was joined, and then all was fetched again in one piece.
        try await story.continues(from: held)
        try await story.server.waitForLog { $0.contains { $0.range == nil && $0.isComplete } }
    }

    private static let sha256OfOther = "1ce4db534e77a1958fda83c25de9c5a86f4139b18a761aaeca34fb24221d02ca"
}
