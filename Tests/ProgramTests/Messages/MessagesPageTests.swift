import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// Documentation/Messages.md is complete and up to date.
@Suite struct MessagesPageTests {
    private let page = PackageFolder.url.appending(path: "Documentation/Messages.md")

    @Test(arguments: WrongCall.all) func eachWrongCallHasItsKindOfError(call: WrongCall) throws {
        let refusal = try #require(try MessageFolder().refusal(of: call), "\(call.text) is not refused")
        #expect(refusal.kind == call.kind, "\(refusal.message)")
        #expect(!refusal.message.contains("secret"))
        #expect(!refusal.message.contains { $0.isNewline })
    }

    @Test func everyKindOfUsageErrorIsOnThePage() {
        let shown = Set(WrongCall.all.map(\.kind)).union([.foreignOption])
            .union([MessageSamples.demoFolder, MessageSamples.demoServer].map(\.kind))
        #expect(UsageError.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func everyKindOfNoticeIsOnThePage() {
        let shown = Set(MessageSamples.notices.map(\.notice.kind))
        #expect(Notice.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func thePageIsUpToDate() throws {
        let text = try MessagesPage.text()
        if ProcessInfo.processInfo.environment["SPATE_WRITE_PAGES"] != nil {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let said = text.split(separator: "\n")
        let differing = zip(written, said).first { $0 != $1 }
        #expect(differing == nil && written.count == said.count, "to write it again, set SPATE_WRITE_PAGES=1")
    }
}
