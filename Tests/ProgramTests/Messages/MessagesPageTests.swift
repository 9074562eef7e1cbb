import TestSupport
import Testing

@testable import SpateProgram

/// Documentation/Messages.md is complete and up to date.
@Suite struct MessagesPageTests {
    @Test(arguments: WrongCall.all) func eachWrongCallHasItsKindOfError(call: WrongCall) throws {
        let refusal = try #require(try MessageFolder().refusal(of: call), "\(call.text) is not refused")
        #expect(refusal.kind == call.kind, "\(refusal.message)")
        #expect(!refusal.message.contains("secret"))
        #expect(!refusal.message.contains { $0.isNewline })
    }

    @Test func everyKindOfUsageErrorIsOnThePage() {
        let shown = Set(WrongCall.all.map(\.kind)).union([.foreignOption])
            .union([MessageSamples.demoFolder, MessageSamples.demoServer, MessageSamples.noTerminal].map(\.kind))
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
