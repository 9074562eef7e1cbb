import Foundation
import Spate
import TestSupport
import Testing

/// A file that has become another between two attempts.
@Suite(.needsNginx) struct ChangedFileTests {
    /// A story in which something happens to the file while its download is paused with so much on disk.
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
        try await story.continues(from: held)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anUnchangedFileIsContinuedByItsDateAlone(over way: NginxServer.Way) async throws {
        let (story, download, held) = try await changed(over: way, server: "etag off;") { _ in }
        try await story.publishes(download)
        try await story.continues(from: held, ifRange: RealStory.dateText)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anotherFileIsFetchedWhole(over way: NginxServer.Way) async throws {
        let (story, download, _) = try await changed(over: way) { try $0.put(RealStory.other, as: "f") }
        try await story.publishes(download, RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anotherFileOfTheSameSizeIsToldByItsDateAlone(over way: NginxServer.Way) async throws {
        let (story, download, _) = try await changed(over: way, server: "etag off;") {
            try $0.put(RealStory.other, as: "f", modified: RealStory.laterDate)
        }
        try await story.publishes(download, RealStory.other)
        try await story.startsOver()
    }

    @Test(arguments: NginxServer.Way.allCases)
    func anOlderFileIsAnotherToo(over way: NginxServer.Way) async throws {
        let (story, download, _) = try await changed(over: way, server: "etag off;") {
            try $0.put(RealStory.other, as: "f", modified: RealStory.date - 1)
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

    @Test(arguments: ["", "etag off;"])
    func aFileThatHasGrownIsFetchedWhole(directives: String) async throws {
        let grown = RealStory.bytes + TestBytes.random(count: 1_000, seed: 3)
        let (story, download, _) = try await changed(over: .plain, server: directives) {
            try $0.put(grown, as: "f")
        }
        try await story.publishes(download, grown)
        try await story.startsOver(whole: grown)
    }

    @Test(arguments: [0, 1, 500_000, 2_000_000])
    func aFileThatHasShrunkIsFetchedWhole(size: Int) async throws {
        let shrunk = Array(RealStory.bytes[..<size])
        let (story, download, _) = try await changed(over: .plain) { try $0.put(shrunk, as: "f") }
        try await story.publishes(download, shrunk)
        try await story.startsOver(whole: shrunk)
    }

    @Test(arguments: NginxServer.Way.allCases)
    func aFileThatIsGoneFailsAndGoesOnWhenItIsBack(over way: NginxServer.Way) async throws {
        let (story, download, held) = try await changed(over: way) { try $0.remove("f") }
        let error = try #require(try await download.ended().error)
        #expect(error.code == .httpStatus && error.statusCode == 404 && !error.isRetryable && error.keptPartialFile)
        #expect(try story.test.names == ["f.part"] && story.partialSize == held)
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        try await story.publishes(story.test.manager.download(download.url))
        let log = try await story.answersToRanges(2)
        #expect(log.map(\.status) == [404, 206] && log.allSatisfy { $0.range == "bytes=\(held)-" })
        #expect(held + log[1].bodyBytes == RealStory.bytes.count)
    }

    @Test func aFileReplacedUnderATransferArrivesAsItWas() async throws {
        let story = try await RealStory(.plain, settings: NginxSettings(server: "limit_rate 1500k;"))
        try story.server.put(RealStory.bytes, as: "f", modified: RealStory.date)
        let download = try await story.begin(until: 200_000)
        try story.server.put(RealStory.other, as: "f")
        try await story.publishes(download)
    }
}
