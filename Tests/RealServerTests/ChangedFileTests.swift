import Foundation
import Spate
import TestSupport
import Testing

/// A file that has become another between two attempts.
@Suite(.mostlyWaits, .needsNginx) struct ChangedFileTests {
    /// A story in which something happens to the file while its download is paused; `held` is the partial file's size.
    private func changed(
        over way: NginxServer.Way,
        server directives: String = "",
        _ change: (NginxServer) throws -> Void
    ) async throws -> (story: RealStory, download: Download, held: Int) {
        let story = try await RealStory.interrupted(way, server: directives)
        let download = try await story.begin()
        let held = try await story.pause(download)
        try change(story.server)
        download.resume()
        return (story, download, held)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anUnchangedFileIsContinued(over way: NginxServer.Way) async throws {
        let (story, download, held) = try await changed(over: way) { _ in }
        try await story.publishes(download)
        try await story.continues(from: held - RealStory.seam)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anUnchangedFileIsContinuedByItsDateAlone(over way: NginxServer.Way) async throws {
        let (story, download, held) = try await changed(over: way, server: "etag off;") { _ in }
        try await story.publishes(download)
        try await story.continues(from: held - RealStory.seam, ifRange: RealStory.dateText)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anotherFileIsFetchedWhole(over way: NginxServer.Way) async throws {
        let (story, download, _) = try await changed(over: way) { try $0.put(RealStory.other, as: "f") }
        try await story.publishes(download, RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anotherFileOfTheSameSizeIsDetectedByItsDate(over way: NginxServer.Way) async throws {
        let (story, download, _) = try await changed(over: way, server: "etag off;") {
            try $0.put(RealStory.other, as: "f", modified: RealStory.laterDate)
        }
        try await story.publishes(download, RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aFileReplacedWhileTheServerIsDownIsFetchedWhole(over way: NginxServer.Way) async throws {
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin()
        try await story.server.stop(.killed)
        try story.server.put(RealStory.other, as: "f", modified: RealStory.laterDate)
        try await story.server.start()
        try await story.publishes(download, RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: [0, 1, 500_000, 2_000_000])
    func aFileThatHasShrunkIsFetchedWhole(size: Int) async throws {
        let shrunk = Array(RealStory.bytes[..<size])
        let (story, download, _) = try await changed(over: .plain) { try $0.put(shrunk, as: "f") }
        try await story.publishes(download, shrunk)
        try await story.startsOver(whole: shrunk)
    }
}
