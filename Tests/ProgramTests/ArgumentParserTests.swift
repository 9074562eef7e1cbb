import Spate
import Testing

@testable import SpateProgram

/// Documentation/Messages.md shows what is refused.
@Suite struct ArgumentParserTests {
    static let url = "https://host/a"

    @Test(arguments: [
        ["-j", "4", url], ["-j4", url], ["--jobs", "4", url], ["--jobs=4", url], [url, "--jobs=4"], ["-qj4", url],
        ["get", "-j", "9", "-j", "4", url],
    ])
    func allFormsOfAnOptionAreEqual(words: [String]) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(arguments.jobs == .exactly(4) && arguments.command == .get && arguments.urls == [Self.url])
    }

    @Test func theNumberOfDownloadsIsAutomaticUnlessOneIsGiven() throws {
        for words in [[], ["-j", "auto"], ["-j", "5", "--jobs=auto"]] {
            let arguments = try ArgumentParser.parse(words + [Self.url])
            #expect(arguments.manager().concurrency == .automatic(atMost: 64))
        }
        for count in [1, 3, 1000] {
            let arguments = try ArgumentParser.parse(["-j", "\(count)", Self.url])
            #expect(arguments.manager().concurrency == .exactly(count))
        }
    }

    @Test func everyOptionOfGetIsRead() throws {
        let digest = String(repeating: "Ab", count: 20)
        let words = """
            get -d out -o name -i list -i - --shard 2/3 -j 7 -x 8 --max-per-host 6 --limit-rate 500K --retries 0 \
            --timeout 2.5 --header A:b --header C:d --header @one --header=@two --netrc --netrc-file logins \
            --cookies jar --max-size 40 --checksum SHA1:\(digest) --checksums a --checksums b --mirror http://b/f \
            --mirror=http://c/f --cacert ca.pem --cert c.pem --key k.pem --proxy socks5h://p:1 \
            --max-redirs 4 --no-server-mirrors --max-time 60 --speed-limit 1K --speed-time 9 --overwrite -R --json \
            --progress none --log events --failed lines \
            --no-keys --quiet
            """
        var expected = Arguments()
        (expected.directory, expected.output, expected.inputs) = ("out", "name", ["list", "-"])
        (expected.shard, expected.jobs, expected.connections) = (DownloadShard(2, of: 3), .exactly(7), .exactly(8))
        (expected.maximumPerHost, expected.rateLimit, expected.retries) = (6, 512_000, 0)
        (expected.timeout, expected.timeLimit) = (2.5, 60)
        (expected.minimumSpeed, expected.minimumSpeedTime) = (1_024, 9)
        expected.headers = [try HeaderField("A: b"), try HeaderField("C: d")]
        expected.headerFiles = ["one", "two"]
        (expected.readsNetrc, expected.netrc, expected.cookies) = (true, "logins", "jar")
        (expected.maximumSize, expected.checksum) = (40, try Checksum(.sha1, digest))
        expected.checksumLists = ["a", "b"]
        expected.mirrors = [try DownloadURL("http://b/f"), try DownloadURL("http://c/f")]
        (expected.authorities, expected.overwrites, expected.keepsServerTime) = ("ca.pem", true, true)
        expected.proxy = try DownloadProxy("socks5h://p:1")
        (expected.maximumRedirects, expected.ignoresServerMirrors) = (4, true)
        (expected.certificate, expected.certificateKey) = ("c.pem", "k.pem")
        (expected.writesJSON, expected.progress, expected.log) = (true, .none, "events")
        expected.failed = "lines"
        (expected.ignoresKeys, expected.isQuiet, expected.urls) = (true, true, [Self.url])
        var parsed = try ArgumentParser.parse(words.split(separator: " ").map(String.init) + [Self.url])
        #expect(parsed.given.map { $0.words.joined(separator: "=") }.last == "--quiet")
        parsed.given = []
        #expect(parsed == expected)
        for output in ["-", "a/b", "/a", "./-"] {
            #expect(try ArgumentParser.parse(["-o", output, Self.url]).output == output)
        }
        #expect(try ArgumentParser.parse(["--proxy", "none", Self.url]).proxy == .direct)
        #expect(try ArgumentParser.parse(["--proxy", "p:1", Self.url]).proxy == DownloadProxy("http://p:1"))
        #expect(try ArgumentParser.parse(["--public-only", Self.url]).isPublicOnly)
        #expect(try ArgumentParser.parse(["--public-only", "--proxy", "none", Self.url]).isPublicOnly)
        #expect(try ArgumentParser.parse(["--update", Self.url]).updates)
        #expect(try ArgumentParser.parse(["--skip-existing", Self.url]).skipsExisting)
        #expect(try ArgumentParser.parse(["--metalink-from-server", Self.url]).usesServerMetalink)
        #expect(try ArgumentParser.parse(["resume", "--metalink-from-server"]).usesServerMetalink)
        #expect(try ArgumentParser.parse(["demo", "--serve"]).serves)
    }

    /// Also for a name that does not exist: otherwise there is one.
    @Test func retriesThatAreAskedForAreMade() throws {
        let asked = try ArgumentParser.parse(["--retries", "100", Self.url]).manager().configuration.retry
        #expect(asked.maxRetriesWithoutProgress == 100 && asked.maxRetriesOfUnknownName == 100)
        let usual = try ArgumentParser.parse([Self.url]).manager().configuration.retry
        #expect(usual.maxRetriesWithoutProgress == 5 && usual.maxRetriesOfUnknownName == 1)
    }

    @Test(arguments: [Command.get, .status, .resume, .delete]) func theFirstWordNamesTheCommand(command: Command) throws
    {
        let urls = command == .get || command == .delete ? [Self.url] : []
        #expect(try ArgumentParser.parse(["-d", "x", command.rawValue] + urls).command == command)
    }

    @Test(arguments: [([url, "status"], [url, "status"]), (["-q", "--", "--json", "status"], ["--json", "status"])])
    func nothingAfterAURLIsACommandOrAfterTwoHyphensAnOption(words: [String], urls: [String]) throws {
        #expect(try ArgumentParser.parse(words).urls == urls)
    }

    @Test(
        arguments: [
            (["--help"], .help, nil), (["-hq"], .help, nil), (["help"], .help, nil), (["--version"], .version, nil),
            (["status", "--help", "--nonsense"], .help, .command(.status)), (["version"], .version, nil),
            (["help", "status"], .help, .command(.status)), (["help", "get"], .help, .command(.get)),
            (["-q", "delete", "-h"], .help, .command(.delete)), (["help", "options"], .help, .options),
            (["help", "files"], .help, .group(.files)), (["help", "keys"], .help, .keys),
            (["help", "help"], .help, .command(.help)), (["nonsense", "--help"], .help, nil),
        ] as [([String], Command, HelpTopic?)]
    )
    func helpAndVersionIgnoreTheRestOfTheLine(words: [String], command: Command, topic: HelpTopic?) throws {
        let arguments = try ArgumentParser.parse(words)
        #expect(arguments.command == command && arguments.helpTopic == topic)
    }

    @Test(arguments: [
        (
            "--jobs",
            ["0", "-1", "+4", "4.5", "four", "Auto", "automatic", "", " 4", "4 ", "1001", "99999999999999999999", "٤"]
        ),
        ("--timeout", ["0", "-1", "inf", "nan", "0x10", "1e3", "30s", "1.2.3", "."]),
        ("--max-size", ["-1", "4x", "", "9223372036854775808", "9000000T", "1.5G", "4 k", "kb", "4kbb", "+4k"]),
        ("--limit-rate", ["0", "0K", "-1", "fast", "1.5M", "2M/s", "9000000T", "inf", "+4k"]),
    ])
    func anInvalidNumberIsRefused(option: String, values: [String]) {
        for value in values {
            #expect(throws: UsageError.self) { try ArgumentParser.parse(["\(option)=\(value)", Self.url]) }
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("4096", 4096), ("12b", 12), ("4k", 4096), ("4K", 4096), ("4KB", 4000), ("4kB", 4000),
            ("4KiB", 4096), ("500M", 500 << 20), ("2GB", 2_000_000_000), ("3g", 3 << 30), ("1TiB", 1 << 40),
            ("9223372036854775807", Int64.max),
        ] as [(String, Int64)]
    )
    func sizesHaveTheUnitsOfOtherPrograms(text: String, bytes: Int64) {
        #expect(ByteCount.bytes(in: text) == bytes)
    }

    @Test func ofASecretNothingIsKept() throws {
        let words = ["--header", "Authorization: c2VjcmV0", "--header=@c2VjcmV0.txt", "-d", "disks", Self.url]
        let given = try ArgumentParser.parse(words).given
        #expect(given.map(\.words) == [["--header"], ["--header"], ["-d", "disks"]])
        #expect(given.map(\.file) == [nil, "c2VjcmV0.txt", nil])
    }

    @Test(arguments: ["Authorization Basic c2VjcmV0", "Bearer c2VjcmV0: x", "A: c2VjcmV0\n"])
    func anErrorNeverRepeatsAHeader(header: String) {
        let error = #expect(throws: UsageError.self) { try ArgumentParser.parse(["--header", header, Self.url]) }
        #expect(error?.message.contains("c2VjcmV0") == false)
    }
}
