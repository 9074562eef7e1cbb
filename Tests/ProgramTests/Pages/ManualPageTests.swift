import Foundation
import TestSupport
import Testing

@testable import SpateProgram

/// Documentation/spate.1 is complete and up to date.
@Suite(.takesTurns) struct ManualPageTests {
    private static let man = InstalledProgram.path("man")

    @Test func thePageIsUpToDate() throws {
        try PackageFolder.expect("Documentation/spate.1", says: ManualPage.text)
    }

    @Test(.enabled(if: man != nil, "man is not installed"))
    func manShowsEveryCommandAndOptionWithoutAWarning() async throws {
        let child = try ChildProcess(
            try #require(Self.man),
            ["--warnings", "-l", PackageFolder.url.appending(path: "Documentation/spate.1").path],
            environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"]
        )
        #expect(try await child.waitForExit() == .status(0))
        #expect(child.errors == "")
        let options = ProgramOption.all.map { $0.forms.joined(separator: ", ") }
        let examples = Command.allCases.flatMap { HelpPage($0)?.examples ?? [] }
        for words in [options, examples, Command.allCases.map(\.synopsis)] {
            #expect(words.filter { !child.output.contains($0) } == [])
        }
    }
}
