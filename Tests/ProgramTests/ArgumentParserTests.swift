import Spate
import Testing

@testable import SpateProgram

@Suite struct ArgumentParserTests {
    static let url = "https://host/a"

    @Test(arguments: [
        ["-j", "4", url], ["-j4", url], ["--jobs", "4", url], ["--jobs=4", url], [url, "--jobs=4"], ["-qj4", url],
        ["get", "-j", "9", "-j", "4", url],
    ])
    func allFormsOfAnOptionAreEqual(words: [String]) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(arguments.jobs == 4)
        #expect(arguments.command == .get)
        #expect(arguments.urls == [Self.url])
    }

    @Test func everyOptionOfGetIsRead() throws {
        let digest = String(repeating: "Ab", count: 20)
        let arguments = try ArgumentParser.parse([
            "get", "-d", "out", "-o", "name", "-i", "list", "-i", "-", "-j", "7", "--retries", "0", "--timeout", "2.5",
            "--header", "A: b", "--header", "C:d", "--max-size", "40", "--checksum", "SHA1:\(digest)",
            "-x", "8", "--limit-rate", "500K", "--max-per-host", "6", "--shard", "2/3", "--checksums", "a",
            "--checksums", "b", "--cacert",
            "ca.pem", "--overwrite",
            "--json",
            "--header", "@one", "--header=@two", "--netrc", "--netrc-file", "logins", "--cookies", "jar", "--progress",
            "none", "--log", "events", "--quiet", "--mirror", "http://b/f", "--mirror=http://c/f", Self.url,
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
        expected.checksum = try Checksum(.sha1, digest)
        expected.connections = .exactly(8)
        expected.maximumPerHost = 6
        expected.rateLimit = 512_000
        expected.shard = DownloadShard(2, of: 3)
        expected.checksumLists = ["a", "b"]
        expected.authorities = "ca.pem"
        expected.headerFiles = ["one", "two"]
        expected.readsNetrc = true
        expected.netrc = "logins"
        expected.cookies = "jar"
        expected.progress = .none
        expected.log = "events"
        expected.mirrors = [try DownloadURL("http://b/f"), try DownloadURL("http://c/f")]
        expected.overwrites = true
        expected.writesJSON = true
        expected.isQuiet = true
        expected.urls = [Self.url]
        #expect(arguments == expected)
    }

    @Test(arguments: Command.allCases.filter { ![.demo, .completions, .help, .version].contains($0) })
    func theFirstWordNamesTheCommand(command: Command) throws {
        let urls = command == .get || command == .delete ? [Self.url] : []
        #expect(try ArgumentParser.parse(["-d", "x", command.rawValue] + urls).command == command)
    }

    @Test func aCommandAfterAURLIsAURL() throws {
        #expect(try ArgumentParser.parse([Self.url, "status"]).urls == [Self.url, "status"])
    }

    @Test func twoHyphensEndTheOptions() throws {
        #expect(try ArgumentParser.parse(["-q", "--", "--json", "status"]).urls == ["--json", "status"])
    }

    @Test(arguments: [
        (["--help"], Command.help), (["-hq"], .help), (["-h"], .help), (["help"], .help),
        (["status", "--help", "--nonsense"], .help),
        (["--version"], .version), (["version"], .version),
    ])
    func helpAndVersionIgnoreTheRestOfTheLine(words: [String], command: Command) throws {
        #expect(try ArgumentParser.parse(words).command == command)
    }

    @Test(arguments: ["0", "-1", "+4", "4.5", "four", " 4", "4 ", "1001", "99999999999999999999", "٤"])
    func anInvalidNumberOfJobsIsRefused(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--jobs=\(text)", Self.url]) }
    }

    @Test(arguments: ["0", "-1", "inf", "nan", "0x10", "1e3", "30s", "1.2.3", "."])
    func anInvalidTimeoutIsRefused(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--timeout=\(text)", Self.url]) }
    }

    @Test(arguments: ["-1", "4x", "", "9223372036854775808", "9000000T", "1.5G", "4 k", "kb", "4kbb", "+4k"])
    func anInvalidSizeIsRefused(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--max-size=\(text)", Self.url]) }
    }

    @Test(arguments: ["0", "0K", "-1", "fast", "1.5M", "2M/s", "9000000T", "inf", "+4k"])
    func anInvalidRateIsRefused(text: String) {
        #expect(throws: UsageError.self) { try ArgumentParser.parse(["--limit-rate=\(text)", Self.url]) }
    }

    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("12b", 12), ("4k", 4096), ("4K", 4096), ("4KB", 4000), ("4kB", 4000),
            ("4KiB", 4096),
            ("500M", 500 << 20), ("2GB", 2_000_000_000), ("3g", 3 << 30), ("1TiB", 1 << 40),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)]
    )
    func sizesHaveTheUnitsOfOtherPrograms(text: String, bytes: Int64) throws {
        #expect(try ArgumentParser.parse(["--max-size", text, Self.url]).maximumSize == bytes)
    }

    @Test(arguments: [
        (["help", "status"], HelpTopic.command(.status)), (["status", "--help"], .command(.status)),
        (["help", "get"], .command(.get)), (["-q", "delete", "-h"], .command(.delete)),
        (["help", "options"], .options),
    ])
    func helpIsAboutTheNamedCommand(words: [String], topic: HelpTopic) throws {
        #expect(try ArgumentParser.parse(words).helpTopic == topic)
    }

    @Test func anErrorNeverRepeatsAHeader() {
        for header in ["Authorization Basic c2VjcmV0", "Bearer c2VjcmV0: x", "A: c2VjcmV0\n"] {
            let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(["--header", header, Self.url]) }
            #expect(error?.message.contains("c2VjcmV0") == false)
        }
    }
}
