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
}
