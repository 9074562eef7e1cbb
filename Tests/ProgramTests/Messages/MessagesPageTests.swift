import SpateTestSupport
import Testing

@testable import SpateProgram

/// Documentation/Messages.md is complete and up to date.
@Suite struct MessagesPageTests {
    @Test func everyKindOfUsageErrorIsOnThePageAndTellsNoSecret() throws {
        let folder = try MessageFolder()
        let refusals = try WrongCalls.all.map { try #require(folder.refusal(of: $0), "\($0) is not refused") }
        for message in refusals.map(\.message) {
            #expect(!message.contains("secret") && !message.contains { $0.isNewline })
        }
        let samples = [
            MessageSamples.demoFolder, MessageSamples.demoServer, MessageSamples.contentFolder,
            MessageSamples.noTerminal,
        ]
        let shown = Set((refusals + samples).map(\.kind)).union([.foreignOption])
        #expect(UsageError.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func everyKindOfNoticeIsOnThePage() {
        let shown = Set(MessageSamples.notices.map(\.notice.kind))
        #expect(Notice.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func thePageIsUpToDate() throws {
        #expect(try Snapshot("Documentation/Messages.md").difference(from: MessagesPage.text()) == nil)
    }
}
