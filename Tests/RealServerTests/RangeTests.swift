import Foundation
import Spate
import TestSupport
import Testing

/// Resuming where there is nothing left to fetch, and where there are no ranges.
@Suite(.needsNginx) struct RangeTests {
    private static let size = RealStory.bytes.count

    @Test(arguments: NginxServer.Way.allCases, ["", "etag off;"])
    func aCompletePartialCostsNoBody(over way: NginxServer.Way, directives: String) async throws {
        let (story, url) = try await completePartial(over: way, server: directives)
        try await story.publishes(story.test.manager.download(url))
        let answers = try await story.answersToRanges()
        #expect(answers.map(\.status) == [416] && answers[0].range == "bytes=\(Self.size)-")
        // All that came is a page that says so.
        #expect(answers[0].bodyBytes < 1_000 && !story.server.log.contains { $0.range == nil && $0.isComplete })
    }

    @Test(arguments: NginxServer.Way.allCases, ["", "etag off;"])
    func aCompletePartialOfAnotherFileIsFetchedAnew(over way: NginxServer.Way, directives: String) async throws {
        let (story, url) = try await completePartial(over: way, server: directives)
        try story.server.put(RealStory.other, as: "f", modified: RealStory.laterDate)
        try await story.publishes(story.test.manager.download(url), RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aPartialThatIsTooLongIsFetchedAnew(over way: NginxServer.Way) async throws {
        let (story, url) = try await completePartial(over: way, surplus: [1])
        try await story.server.reload(NginxSettings())
        try await story.publishes(story.test.manager.download(url))
        let log = try await story.server.waitForLog { $0.contains(where: \.isComplete) }
        #expect(log.allSatisfy { $0.status == 200 && $0.range == nil })
    }

    @Test(arguments: NginxServer.Way.allCases)
    func withoutRangesTheWholeIsTakenAgain(over way: NginxServer.Way) async throws {
        let story = try await RealStory.interrupted(way, server: "max_ranges 0;")
        let download = try await story.begin()
        let held = try await story.pause(download)
        download.resume()
        try await story.publishes(download)
        let answers = try await story.answersToRanges()
        #expect(answers.allSatisfy { $0.range == "bytes=\(held)-" && $0.status == 200 })
        #expect(answers.last?.bodyBytes == Self.size && download.remarks == [.notResumable])
        #expect(answers.count == 1)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func rangesMayGoAndComeBack(over way: NginxServer.Way) async throws {
        let story = try await RealStory.interrupted(way)
        let download = try await story.begin()
        _ = try await story.pause(download)
        // The second answer starts over and stops short, too.
        var settings = NginxSettings.stopping(after: 2 << 20, server: "max_ranges 0;")
        settings.http = "map $http_range $rate { default 1; }"
        try await story.server.reload(settings)
        _ = try await story.begin(until: 2_000_000)
        let held = try await story.pause(download)
        try await story.server.reload(NginxSettings())
        download.resume()
        try await story.publishes(download)
        let whole = try await story.server.waitForLog { $0.contains(where: \.isComplete) }.filter(\.isComplete)
        #expect(whole.map(\.status) == [206] && whole[0].range == "bytes=\(held)-")
        #expect(held >= 2_000_000 && held + whole[0].bodyBytes == Self.size)
    }

    /// A story whose partial file was brought to its full length by other means, as by a process that died just before
    /// it would have published it.
    private func completePartial(
        over way: NginxServer.Way,
        server directives: String = "",
        surplus: [UInt8] = []
    ) async throws -> (story: RealStory, url: URL) {
        let story = try await RealStory.interrupted(way, server: directives)
        let download = try await story.begin()
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await story.isLetGo()
        let file = try FileHandle(forWritingTo: story.test.folder.url("f.part"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(RealStory.bytes[(try story.partialSize)...] + surplus))
        try file.close()
        return (story, download.url)
    }
}
