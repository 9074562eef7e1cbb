import Foundation
import SpateTestSupport
import Testing

/// The program's exit code and output for usage errors. Documentation/Messages.md shows the messages.
@Suite(.takesTurns) struct UsageErrorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        (["-d", "new", "URL", "nonsense"], "is not a URL"),
        (["-d", "new", "--cacert", "none.pem", "URL"], "none.pem"),
        (["-d", "new", "--cert", "none.pem", "URL"], "none.pem"),
        (["-d", "new", "-i", "-", "URL"], "standard input, line 2: "),
        (["-d", "file/new", "URL"], "is a file"),
        (["delete", "-d", "new", "URL"], "there is no folder"),
        (["--progress", "bar", "URL"], "--progress plain"),
        ([], "at least one URL"),
        (["help", "nonsense"], "spate help topics"),
    ])
    func aUsageErrorMakesNoRequestAndChangesNothing(words: [String], part: String) async throws {
        let server = try TestServer { _ in .status(200, body: "") }
        let url = server.url("/a").absoluteString
        try folder.write("mine", to: "file")
        let words = words.map { $0 == "URL" ? url : $0 }
        let run = try await folder.spate(words, input: "\(url)\nnonsense\n", code: 2)
        #expect(run.child.output == "" && run.errorLines.count == 2)
        let isSaid = run.errorLines.first.map { $0.hasPrefix("spate: ") && $0.contains(part) }
        #expect(isSaid == true, "\(run.child.errors)")
        #expect(try folder.names == ["file"])
        #expect(server.requests.isEmpty)
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        let help = try await folder.spate(["--help"])
        #expect(help.child.output.contains("spate resume [options]"))
        let version = try await folder.spate(["--version"])
        let lines = /spate \d+\.\d+\.\d+\nlibcurl \d+\.\d+\.\d+.*, \w+ \d.*\n/
        #expect(version.child.output.wholeMatch(of: lines) != nil, "\(version.child.output)")
        #expect(help.child.errors + version.child.errors == "")
    }

    @Test func anEmptyListIsNotAnError() async throws {
        try await folder.spate(["-d", "new", "-i", "-"], input: "# nothing yet\n\n")
        #expect(try folder.names.isEmpty)
    }
}
