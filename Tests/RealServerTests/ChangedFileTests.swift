import Foundation
import Spate
import SpateTestSupport
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

    // MARK: A server that does not say so

    /// A date that proves nothing: the file may become another within that second, which is yet to come. Both files are of
    /// one size, too, and so is nginx's tag.
    @Test(arguments: NginxServer.Way.allCases, ["etag off;", ""])
    func aFileReplacedWithinTheSecondIsNeverJoined(over way: NginxServer.Way, server: String) async throws {
        let (story, download, _, soon) = try await interruptedAtADateToCome(over: way, server: server)
        try story.server.put(RealStory.other, as: "f", modified: soon)
        try await story.server.reload(NginxSettings(server: server))
        download.resume()
        try await story.publishes(download, RealStory.other)
    }

    @Test(arguments: NginxServer.Way.allCases, ["etag off;", ""])
    func aDateThatProvesNothingLeadsToAComparison(over way: NginxServer.Way, server: String) async throws {
        let (story, download, held, _) = try await interruptedAtADateToCome(over: way, server: server)
        download.resume()
        try await story.publishes(download)
        try await story.continues(from: held - 65_536)
        #expect(story.server.log.allSatisfy { $0.ifRange == nil })
    }

    private func interruptedAtADateToCome(
        over way: NginxServer.Way,
        server: String
    ) async throws -> (story: RealStory, download: Download, held: Int, soon: Date) {
        let soon = Date().addingTimeInterval(3_600)
        let story = try await RealStory.interrupted(way, server: server, modified: soon)
        let download = try await story.begin()
        return (story, download, try await story.pause(download), soon)
    }

    // MARK: Nothing left to fetch

    /// The partial file has its full length, as when a process died just before it would have published it.
    @Test(arguments: NginxServer.Way.allCases, ["", "etag off;"])
    func aCompletePartialFileCostsNoBody(over way: NginxServer.Way, directives: String) async throws {
        let story = try await RealStory.interrupted(way, server: directives)
        let download = try await story.begin()
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await story.test.filesAreClosed()
        try story.test.write(RealStory.bytes[story.partialSize...], to: "f.part")
        try await story.publishes(story.test.manager.download(download.url))
        let answers = try await story.answersToRanges()
        #expect(answers.map(\.status) == [416] && answers[0].range == "bytes=\(RealStory.bytes.count)-")
        // All that came is a page that says so.
        #expect(answers[0].bodyBytes < 1_000 && !story.server.log.contains { $0.range == nil && $0.isComplete })
    }
}
