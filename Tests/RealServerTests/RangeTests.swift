import Foundation
import Spate
import TestSupport
import Testing

/// Resuming where there is nothing left to fetch, and where there are no ranges.
@Suite(.takesTurns, .needsNginx) struct RangeTests {
    private static let size = RealStory.bytes.count

    @Test(arguments: NginxServer.Way.allCases, ["", "etag off;"])
    func aCompletePartialFileCostsNoBody(over way: NginxServer.Way, directives: String) async throws {
        let (story, url) = try await completePartial(over: way, server: directives)
        try await story.publishes(story.test.manager.download(url))
        let answers = try await story.answersToRanges()
        #expect(answers.map(\.status) == [416] && answers[0].range == "bytes=\(Self.size)-")
        // All that came is a page that says so.
        #expect(answers[0].bodyBytes < 1_000 && !story.server.log.contains { $0.range == nil && $0.isComplete })
    }

    /// A story whose partial file has its full length, as when a process died just before it would have published it.
    private func completePartial(
        over way: NginxServer.Way,
        server directives: String
    ) async throws -> (story: RealStory, url: URL) {
        let story = try await RealStory.interrupted(way, server: directives)
        let download = try await story.begin()
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await story.filesAreClosed()
        let file = try FileHandle(forWritingTo: story.test.folder.url("f.part"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(RealStory.bytes[(try story.partialSize)...]))
        try file.close()
        return (story, download.url)
    }
}
