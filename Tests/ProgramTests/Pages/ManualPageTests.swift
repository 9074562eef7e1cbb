import Foundation
import SpateTestSupport
import Testing

@testable import SpateProgram

/// Documentation/spate.1 is complete and up to date.
@Suite(.takesTurns) struct ManualPageTests {
    private static let man = InstalledProgram.path("man")
    private let page = Snapshot("Documentation/spate.1")

    @Test func thePageIsUpToDate() throws {
        #expect(try page.difference(from: ManualPage.text) == nil)
    }

    @Test(.enabled(if: man != nil, "man is not installed"))
    func manShowsEveryCommandAndOptionWithoutAWarning() async throws {
        let child = try ChildProcess(
            try #require(Self.man),
            ["--warnings", "-l", page.url.path],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
        )
        #expect(try await child.waitForExit() == .status(0))
        #expect(child.errors == "")
        let options = ProgramOption.all.map { $0.forms.joined(separator: ", ") }
        let examples = HelpTopic.all.flatMap { HelpPage($0)?.examples ?? [] }
        for words in [options, examples, Command.allCases.map(\.synopsis)] {
            #expect(words.filter { !child.output.contains($0) } == [])
        }
    }
}
