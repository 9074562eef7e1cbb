import Testing

@testable import SpateProgram

@Suite struct ArgumentParserTests {
    static let url = "https://host/a"

    @Test(arguments: [
        ["-j", "4", url], ["-j4", url], ["--jobs", "4", url], ["--jobs=4", url], [url, "--jobs=4"], ["-qj4", url],
        ["get", "-j", "9", "-j", "4", url],
    ])
    func allFormsOfAnOptionMeanTheSame(words: [String]) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(arguments.jobs == 4)
        #expect(arguments.command == .get)
        #expect(arguments.urls == [Self.url])
    }

    @Test func everyOptionOfGetIsRead() throws {
        let arguments = try ArgumentParser.parse([
            "get", "-d", "out", "-o", "name", "-i", "list", "-i", "-", "-j", "7", "--retries", "0", "--timeout", "2.5",
            "--header", "A: b", "--header", "C:d", "--max-size", "40", "--cacert", "ca.pem", "--overwrite", "--json",
            "--quiet", Self.url,
        ])
        var expected = Arguments()
        expected.directory = "out"
        expected.output = "name"
        expected.inputs = ["list", "-"]
        expected.jobs = 7
        expected.retries = 0
        expected.timeout = 2.5
        expected.headers = [try HeaderField("A: b"), try HeaderField("C: d")]
        expected.maximumSize = 40
        expected.authorities = "ca.pem"
        expected.overwrites = true
        expected.writesJSON = true
        expected.isQuiet = true
        expected.urls = [Self.url]
        #expect(arguments == expected)
    }

    @Test(arguments: Command.allCases.filter { ![.demo, .help, .version].contains($0) })
    func theFirstWordNamesTheCommand(command: Command) throws {
        let urls = command == .get || command == .delete ? [Self.url] : []
        #expect(try ArgumentParser.parse(["-d", "x", command.rawValue] + urls).command == command)
    }

    @Test func aCommandAfterAURLIsNoCommand() throws {
        #expect(try ArgumentParser.parse([Self.url, "status"]).urls == [Self.url, "status"])
    }

    @Test func afterTwoHyphensNothingIsAnOption() throws {
        #expect(try ArgumentParser.parse(["-q", "--", "--json", "status"]).urls == ["--json", "status"])
    }

    @Test(arguments: [
        (["--help"], Command.help), (["-h"], .help), (["help"], .help), (["status", "--help", "--nonsense"], .help),
        (["--version"], .version), (["version"], .version),
    ])
    func helpAndVersionAreAlwaysAtHand(words: [String], command: Command) throws {
        #expect(try ArgumentParser.parse(words).command == command)
    }

    @Test(arguments: [
        ([], "at least one URL"),
        (["-q"], "at least one URL"),
        (["delete"], "spate delete needs the URL"),
        (["--job", "4", url], "unknown option --job; did you mean --jobs?"),
        (["--qiuet", url], "unknown option --qiuet; did you mean --quiet?"),
        (["--Json", url], "unknown option --Json; did you mean --json?"),
        (["--output-dir=x", url], "give --directory DIR"),
        (["-json", url], "unknown option -json; did you mean --json?"),
        (["-x", url], "unknown option -x"),
        (["--frobnicate", url], "unknown option --frobnicate"),
        (["--jobs"], "--jobs needs a value: --jobs N"),
        (["-d", "--json", url], "--directory needs a value: --directory DIR"),
        (["-d", "", url], "--directory was given an empty value"),
        (["--json=yes", url], "--json takes no value"),
        (["--output", "a/b", url], "--directory a --output b"),
        (["--output", "..", url], "can't be the name of a file"),
        (["--output", "a\nb", url], "can't be the name of a file"),
        (["--output", "name", url, "https://host/b"], "several URLs"),
        (["status", "--jobs", "4"], "status takes no --jobs"),
        (["status", url], "status takes no URL"),
        (["resume", url], "resume takes no URL"),
        (["resume", "--output", "name"], "resume takes no --output"),
        (["delete", "--overwrite", url], "delete takes no --overwrite"),
        (["--header", "Referer", url], "no colon"),
        (["--header", ": x", url], "no proper name"),
        (["--header", "A b: x", url], "no proper name"),
        (["--header", "A: x\r\nB: y", url], "line break"),
        (["--header", "A: x", "--header", "a: y", url], "--header a is given twice"),
    ])
    func wrongUseIsToldWithWhatWouldBeRight(words: [String], part: String) {
        let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(words) }
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: ["0", "-1", "+4", "4.5", "four", " 4", "4 ", "1001", "99999999999999999999", "٤"])
    func jobsTakesAWholeNumberFromOne(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--jobs=\(text)", Self.url]) }
    }

    @Test(arguments: ["0", "-1", "inf", "nan", "0x10", "1e3", "30s", "1.2.3", "."])
    func timeoutTakesAPositiveDecimalNumber(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--timeout=\(text)", Self.url]) }
    }

    @Test(arguments: ["-1", "4x", "", "9223372036854775808", "9000000T", "1.5G", "4 k", "kb", "4kbb", "+4k"])
    func maxSizeTakesBytes(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--max-size=\(text)", Self.url]) }
    }

    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("12b", 12), ("4k", 4096), ("4K", 4096), ("4KB", 4000), ("4kB", 4000),
            ("4KiB", 4096),
            ("500M", 500 << 20), ("2GB", 2_000_000_000), ("3g", 3 << 30), ("1TiB", 1 << 40),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)]
    )
    func maxSizeTakesUnitsAsOtherProgramsDo(text: String, bytes: Int64) throws {
        #expect(try ArgumentParser.parse(["--max-size", text, Self.url]).maximumSize == bytes)
    }

    @Test(arguments: [
        (["help", "status"], Command.status), (["status", "--help"], .status), (["help", "get"], .get),
        (["-q", "delete", "-h"], .delete),
    ])
    func helpIsAboutTheCommandThatWasNamed(words: [String], topic: Command) throws {
        #expect(try ArgumentParser.parse(words).helpTopic == topic)
    }

    @Test func aHeaderIsNeverRepeatedInAnError() {
        for header in ["Authorization Basic c2VjcmV0", "Bearer c2VjcmV0: x", "A: c2VjcmV0\n"] {
            let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(["--header", header, Self.url]) }
            #expect(error?.message.contains("c2VjcmV0") == false)
        }
    }
}
