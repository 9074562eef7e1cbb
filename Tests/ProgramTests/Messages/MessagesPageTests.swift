import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// The page of messages says what the program does, and leaves no message out.
@Suite struct MessagesPageTests {
    private let page = PackageFolder.url.appending(path: "Documentation/Messages.md")

    @Test(arguments: WrongCall.all) func eachWrongCallIsRefusedForItsReason(call: WrongCall) throws {
        let refusal = try #require(try MessageFolder().refusal(of: call), "\(call.text) is not refused")
        #expect(refusal.kind == call.kind, "\(refusal.message)")
        #expect(!refusal.message.contains("secret"))
        #expect(!refusal.message.contains { $0.isNewline })
    }

    @Test func everyKindOfRefusalIsOnThePage() {
        let shown = Set(WrongCall.all.map(\.kind)).union([.familiarOption])
            .union([MessageSamples.demoFolder, MessageSamples.demoServer].map(\.kind))
        #expect(UsageError.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func everyKindOfNoticeIsOnThePage() {
        let shown = Set(MessageSamples.notices.map(\.notice.kind))
        #expect(Notice.Kind.allCases.filter { !shown.contains($0) } == [])
    }

    @Test func thePageSaysWhatTheProgramSays() throws {
        let text = try MessagesPage.text()
        if ProcessInfo.processInfo.environment["SPATE_WRITE_PAGES"] != nil {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let said = text.split(separator: "\n")
        let differing = zip(written, said).first { $0 != $1 }
        #expect(differing == nil && written.count == said.count, "to write it anew, set SPATE_WRITE_PAGES=1")
    }
}
