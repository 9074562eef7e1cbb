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
            "-d", "my files", "--cacert", "ca", "--cert", "my cert", "--key", "k", "--netrc", "--netrc-file", "a b",
            "--cookies", "jar", "--max-size",
            "5M",
            "--checksums", "A", "--checksums", "B", "--overwrite", "--remote-time",
        ]
        let command = "spate resume \(options.map(PlainText.shellWord).joined(separator: " "))"
        let lines = try lines(1, options + ["--header", "Authorization: Basic c2VjcmV0"])
        #expect(lines.last == "spate: to continue: \(command), with the same --header options")
    }

    /// Values of all kinds. A row of the table decides what is repeated.
    @Test(arguments: Command.get.options.filter { $0.commands.contains(.resume) })
    func anOptionIsRepeatedUnlessItIsSecretOrNotNeeded(option: ProgramOption) throws {
        let values = [
            "header": "X: c2VjcmV0", "progress": "plain", "refresh-on-retry": "", "retries": "7", "jobs": "7",
            "connections": "7", "max-per-host": "7", "timeout": "7", "max-time": "7", "speed-time": "7",
            "proxy": "none", "max-redirs": "7",
        ]
        let words = [option.longForm] + (option.valueName == nil ? [] : [values[option.name] ?? "5M"])
        let program = ["refresh-on-retry": ["--refresh-command", "a"], "key": ["--cert", "a"]][option.name] ?? []
        let last = try #require(try lines(1, program + words).last)
        let command = "spate: to continue: spate resume"
        let before = program.map { " \($0)" }.joined()
        if option.isSecret {
            #expect(last == "\(command), with the same \(option.longForm) options")
        } else if option.isNeededByResume {
            #expect(last == "\(command)\(before) \(words.joined(separator: " "))")
        } else {
            #expect(last == command)
        }
    }

    @Test func ofAnOptionOnlyTheLastUseIsRepeatedInItsForm() throws {
        let words = [
            "-qd", "a", "--checksums=A", "--directory=it's", "--checksums", "B", "--max-size", "1", "-d", "b c",
        ]
        let last = try lines(1, words + ["--max-size=2G"]).last
        #expect(
            last == "spate: to continue: spate resume --checksums A --checksums B -d 'b c' --max-size 2G"
        )
        #expect(try lines(1, ["--directory=it's"]).last == #"spate: to continue: spate resume --directory 'it'\''s'"#)
    }

    @Test func aProxyIsPartOfTheCommandUnlessItHasALogin() throws {
        for proxy in ["none", "socks5h://p:1"] {
            #expect(try lines(1, ["--proxy", proxy]).last == "spate: to continue: spate resume --proxy \(proxy)")
        }
        let last = try lines(1, ["--proxy", "http://me:secret@p:1", "--header", "A: b"]).last
        #expect(last == "spate: to continue: spate resume, with the same --header and --proxy options")
    }

    @Test func itNamesOnlyTheFirstFivePartialFiles() throws {
        #expect(try lines(9).first?.hasSuffix("f4 (1 B), 4 more; 1 download had not started.") == true)
    }
}
