import Foundation
import Spate
import TestSupport
import Testing

/// A file that has become another, and a server that does not say so.
@Suite(.mostlyWaits, .needsNginx) struct WeakValidatorTests {
    /// A date that proves nothing: the file may become another within that second, which is yet to come.
    private let soon = Date().addingTimeInterval(3_600)
    private let bytes = RealStory.bytes

    /// Both files are of one second and one size, and so is nginx's tag.
    @Test(arguments: NginxServer.Way.allCases, ["etag off;", ""])
    func aFileReplacedWithinTheSecondIsNeverJoined(over way: NginxServer.Way, server: String) async throws {
        let story = try await RealStory(way, settings: .stopping(after: RealStory.stop, server: server))
        try story.server.put(bytes, as: "f", modified: soon)
        let download = try await story.begin()
        _ = try await story.pause(download)
        try story.server.put(RealStory.other, as: "f", modified: soon)
        try await story.server.reload(NginxSettings(server: server))
        download.resume()
        try await story.publishes(download, RealStory.other)
    }

    @Test(arguments: NginxServer.Way.allCases, ["etag off;", ""])
    func aDateThatProvesNothingLeadsToAComparison(over way: NginxServer.Way, server: String) async throws {
        let story = try await RealStory(way, settings: .stopping(after: RealStory.stop, server: server))
        try story.server.put(bytes, as: "f", modified: soon)
        let download = try await story.begin()
        let held = try await story.pause(download)
        download.resume()
        try await story.publishes(download)
        try await story.continues(from: held - 65_536)
        #expect(story.server.log.allSatisfy { $0.ifRange == nil })
    }
}
