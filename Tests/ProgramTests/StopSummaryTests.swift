import SpateConsole
import Testing

@testable import SpateProgram

/// Documentation/Messages.md shows the texts.
@Suite struct StopSummaryTests {
    private func lines(_ count: Int, _ words: [String] = []) throws -> [String] {
        let kept = (0..<count).map { StopSummary.Partial(name: "f\($0)", received: 1, total: nil) }
        let arguments = try ArgumentParser.parse(words + ["https://host/a"])
        return StopSummary(kept: kept, notStarted: 1, arguments: arguments).lines
    }

    @Test func resumeGetsTheOptionsThatItNeedsButNoSecret() throws {
        let options = [
            "-d", "my files", "--cacert", "ca", "--netrc", "--netrc-file", "a b", "--cookies", "jar", "--max-size", "5",
            "--checksums", "A", "--checksums", "B", "--overwrite", "--remote-time",
        ]
        let command = "spate resume \(options.map(PlainText.shellWord).joined(separator: " "))"
        let lines = try lines(1, options + ["--header", "Authorization: Basic c2VjcmV0"])
        #expect(lines.last == "spate: to continue: \(command), with the same --header options")
    }

    @Test func itNamesOnlyTheFirstFivePartialFiles() throws {
        #expect(try lines(9).first?.hasSuffix("f4 (1 B), 4 more; 1 download had not started.") == true)
    }
}
