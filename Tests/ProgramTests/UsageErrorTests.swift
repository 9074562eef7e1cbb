import Foundation
import TestSupport
import Testing

/// The program's exit code and output for usage errors. Documentation/Messages.md shows the messages.
@Suite(.takesTurns) struct UsageErrorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        (["-d", "new", "URL", "nonsense"], "is not a URL"),
        (["-d", "new", "--header", "Range: bytes=0-", "URL"], "Spate itself sets the header Range"),
        (["-d", "new", "--cacert", "none.pem", "URL"], "none.pem"),
        (["-d", "new", "-i", "-", "URL"], "standard input, line 2: "),
        (["-d", "file/new", "URL"], "is a file"),
        (["delete", "-d", "new", "URL"], "there is no folder"),
        ([], "at least one URL"),
    ])
    func aUsageErrorMakesNoRequestAndChangesNothing(words: [String], part: String) async throws {
        let server = try TestServer { _ in .status(200, body: "") }
        let url = server.url("/a").absoluteString
        try Data("mine".utf8).write(to: folder.url("file"))
        let run = try SpateRun(words.map { $0 == "URL" ? url : $0 }, in: folder, input: "\(url)\nnonsense\n")
        #expect(try await run.exitCode() == 2)
        #expect(run.child.output == "")
        #expect(run.errorLines.count == 2)
        #expect(run.errorLines.first?.hasPrefix("spate: ") == true)
        #expect(run.errorLines.first?.contains(part) == true, "\(run.child.errors)")
        #expect(try folder.names == ["file"])
        #expect(server.requests.isEmpty)
    }

    @Test func helpAndVersionGoToStandardOutput() async throws {
        let help = try SpateRun(["--help"], in: folder)
        #expect(try await help.exitCode() == 0)
        #expect(help.child.output.contains("spate resume [options]"))
        let version = try SpateRun(["--version"], in: folder)
        #expect(try await version.exitCode() == 0)
        let lines = /spate \d+\.\d+\.\d+\nlibcurl \d+\.\d+\.\d+.*, \w+ \d.*\n/
        #expect(version.child.output.wholeMatch(of: lines) != nil, "\(version.child.output)")
        #expect(help.child.errors + version.child.errors == "")
    }

    @Test func anEmptyListIsNotAnError() async throws {
        let run = try SpateRun(["-d", "new", "-i", "-"], in: folder, input: "# nothing yet\n\n")
        #expect(try await run.exitCode() == 0)
        #expect(try folder.names.isEmpty)
    }
}
