import Foundation
import Spate
import SpateTestSupport
import Testing

/// The same stories with servers of other makes.
@Suite(.mostlyWaits) struct OtherServerTests {
    private static let size = RealStory.bytes.count

    @Test(.enabled(if: OtherServer.missing.isEmpty, "not installed: \(OtherServer.missing.joined(separator: " "))"))
    func everyServerIsInstalled() {}

    @Test(arguments: OtherServer.installed)
    func aFileArrivesWholeAndIsNotFetchedAgain(from server: OtherServer) async throws {
        let story = try await OtherStory(server, holding: false)
        try await story.publishes(story.test.manager.download(story.url))
        let before = story.relay.byteCounts
        try await story.publishes(TestManager(folder: story.test.folder).manager.download(story.url))
        #expect(story.relay.byteCounts == before)
    }

    @Test(arguments: OtherServer.installed)
    func aKilledTransferIsContinued(from server: OtherServer) async throws {
        let story = try await OtherStory(server)
        let download = try await story.begin()
        try await story.kill()
        try await story.start()
        let rest = try await story.publishes(download)
        // Heads count, too.
        let isRest = rest < Self.size - OtherStory.held + 50_000
        #expect(isRest == server.continues && rest < Self.size + 50_000, "\(rest)")
    }

    @Test(arguments: OtherServer.installed)
    func aFileThatHasChangedIsFetchedWhole(from server: OtherServer) async throws {
        let story = try await OtherStory(server)
        let download = try await story.begin()
        try await story.kill()
        try story.put(RealStory.other, modified: RealStory.laterDate)
        try await story.start()
        #expect(try await story.publishes(download, RealStory.other) >= Self.size)
    }

    /// BusyBox makes the same ETag of both, and others know the date alone.
    @Test(arguments: OtherServer.installed)
    func aFileReplacedWithinItsSecondIsNeverJoined(from server: OtherServer) async throws {
        // A second that is yet to come, so that the date proves nothing however slow the machine is.
        let second = (Date().timeIntervalSince1970 + 3_600).rounded()
        let story = try await OtherStory(server, modified: Date(timeIntervalSince1970: second + 0.1))
        let download = try await story.begin()
        try await story.kill()
        try story.put(RealStory.other, modified: Date(timeIntervalSince1970: second + 0.6))
        try await story.start()
        try await story.publishes(download, RealStory.other)
    }

    /// A range past the end: of the same file, and of a file that has become shorter.
    @Test(arguments: OtherServer.installed, [size, 500_000])
    func aCompletePartialFileIsProvenOrReplaced(from server: OtherServer, size: Int) async throws {
        let story = try await OtherStory(server)
        let download = try await story.begin()
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await story.test.filesAreClosed()
        try story.test.write(RealStory.bytes[(story.test.bytes("f.part").count)...], to: "f.part")
        let content = Array(RealStory.bytes[..<size])
        if size < Self.size { try story.put(content, modified: RealStory.laterDate) }
        try await story.publishes(story.test.manager.download(story.url), content)
    }
}
