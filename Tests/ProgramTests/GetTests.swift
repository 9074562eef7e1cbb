import Foundation
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct GetTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let a = TestBytes.random(count: 300_000, seed: 1)
    private let b = TestBytes.random(count: 200_000, seed: 2)
    private let c = TestBytes.random(count: 100, seed: 3)

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer(files: ["/a.bin": .init(a), "/b.bin": .init(b), "/dir/c.bin": .init(c)])
    }

    private var urls: [String] { ["/a.bin", "/b.bin", "/dir/c.bin"].map { server.url($0).absoluteString } }

    @Test func filesOfTheCommandLineAndOfAListAreFetched() async throws {
        let list = "# two\r\n\(urls[1])\r\n\n  \(urls[2])  # the second"
        let run = try await folder.spate(["-d", "deep/er", "-i", "-", urls[0]], input: list)
        #expect(try folder.names(in: "deep/er") == ["a.bin", "b.bin", "c.bin"])
        for (name, bytes) in [("a", a), ("b", b), ("c", c)] {
            #expect(try folder.bytes("deep/er/\(name).bin") == bytes)
        }
        // Standard error is not a terminal here, and nothing failed.
        #expect(run.child.output + run.child.errors == "")
    }

    @Test func anInputFileOfAria2IsFollowed() async throws {
        let list = """
            \(urls[0])
              out=other.bin
              dir=deep/er
              header=X-One: 1
            \(urls[1])
              checksum=md5=900150983cd24fb0d6963f7d28e17f72
            \(urls[2]) \(String(repeating: "0", count: 64))
            """
        // Both checksums are wrong.
        let run = try await folder.spate(["-i", "-", "--header", "X-One: 0"], input: list, code: 1)
        #expect(
            run.errorLines.count == 3
                && run.errorLines.last
                    == "spate: 2 failed (2 wrong checksum): spate resume, with the same --header options"
        )
        #expect(try folder.files == ["deep"] && folder.bytes("deep/er/other.bin") == a)
        for request in server.requests { #expect(request.fields["X-One"] == (request.path == "/a.bin" ? "1" : "0")) }
        try await folder.spate(["delete", "-i", "-"], input: "\(urls[0])\n  dir=deep/er\n")
        #expect(try folder.names(in: "deep/er") == [])
    }

    @Test func aSessionOfAria2IsFetchedAndWhatIsNotUsedIsSaidOnce() async throws {
        let a = a
        let server = try TestServer { $0.path == "/a" ? .file(a, for: $0) : .status(404) }
        let base = server.url("").absoluteString
        try folder.write(InputFileTests.session(of: base), to: "one.txt")
        try folder.write("\(base)/gone\n out=gone\n gid=2\n timeout=3\n", to: "two.txt")
        let run = try await folder.spate(["-i", "one.txt", "-i", "two.txt"], code: 1)
        #expect(try folder.bytes("other/x.bin") == a)
        let note = """
            spate: note: one.txt, two.txt: options of aria2 that Spate does not use: gid, max-tries, force-save, pause, \
            split, lowest-speed-limit, max-connection-per-server, timeout. Downloads with pause=true are fetched, too.
            """
        #expect(run.errorLines.filter { $0.contains("note:") } == [note])
        let refused = run.errorLines.filter { $0.contains("one.txt, line ") }
        #expect(refused.count == 2 && refused[0].contains("ftp") && refused[1].contains("magnet"))
        let request = try #require(server.requests.first { $0.path == "/a" })
        #expect(request.fields["Referer"] == "http://x/y" && request.fields["User-Agent"] == "me/1")
        #expect(request.fields["Authorization"] == "Basic \(Data("me:p:w".utf8).base64EncodedString())")
        let quiet = try await folder.spate(["-q", "-i", "two.txt"], code: 1)
        #expect(!quiet.child.errors.contains("note:"))
    }

    @Test(arguments: [true, false]) func aMirrorIsAskedWhereTheURLFails(byList: Bool) async throws {
        let failing = try TestServer { _ in .status(503) }
        let url = failing.url("/a.bin").absoluteString
        let words = byList ? ["-i", "-"] : ["--mirror", urls[0], url]
        let list = byList ? "\(url)\t\(urls[0])\n" : ""
        let run = try await folder.spate(["--progress", "plain", "--timeout", "3600"] + words, input: list)
        #expect(try folder.bytes("a.bin") == a)
        #expect(failing.requests.count == 1 && server.requests.count == 1)
        let told = run.errorLines.filter { $0 == "a.bin: 503 Service Unavailable; trying another place now" }
        #expect(told.count == 1, "\(run.errorLines)")
    }

    @Test func eachFailureIsALineAndTheOthersAreFetched() async throws {
        let missing = server.url("/none.bin", authority: "user:secret@127.0.0.1").absoluteString
        let run = try await folder.spate(["--json", "--max-size", "250000", missing] + urls, code: 1)
        #expect(run.errorLines.last == "spate: 2 failed (1 HTTP 404, 1 too large): run the same command again")
        let lines = run.errorLines.dropLast().sorted()
        let failed = try run.events().filter { $0["state"] as? String == "failed" }
        #expect(failed.map { "spate: \($0["url"] ?? ""): \($0["error"] ?? "")" }.sorted() == lines)
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("spate: \(urls[0]): ") == true)
        #expect(lines.last?.hasPrefix("spate: \(server.url("/none.bin")): ") == true)
        #expect(lines.last?.contains("404") == true && !(run.child.errors + run.child.output).contains("secret"))
        #expect(try folder.files == ["b.bin", "c.bin"])
    }

    @Test func anotherProgramsFileIsReplacedOnlyWithOverwrite() async throws {
        try folder.write("mine", to: "name")
        try await folder.spate(["-o", "name", urls[0]], code: 1)
        #expect(try folder.text("name") == "mine")
        try await folder.spate(["-o", "name", "--overwrite", urls[0]])
        #expect(try folder.bytes("name") == a)
    }

    @Test func aRemarkIsANoteAndNotAFailure() async throws {
        let server = try TestServer(files: ["/a.bin": .init(a)]) { $1.withoutLength }
        let url = server.url("/a.bin").absoluteString
        let run = try await folder.spate([url])
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix("spate: note: \(url): ") == true)
        #expect(try await folder.spate(["-q", "--overwrite", url]).child.errors == "")
    }

    @Test(arguments: [false, true]) func ofVeryManyRemarksTheFirstAreSaid(isVerbose: Bool) async throws {
        let server = try TestServer { Reply.file(Array("abc".utf8), for: $0).withoutLength }
        let list = (1...103).map { "\(server.url("/\($0).bin"))\n" }.joined()
        let run = try await folder.spate((isVerbose ? ["-v"] : []) + ["-j", "8", "-i", "-"], input: list)
        #expect(run.errorLines.count == (isVerbose ? 103 : 101))
        #expect((run.errorLines.last == "spate: note: 3 more notes; --verbose prints all.") != isVerbose)
    }

    /// One sentence for all, before the first request.
    @Test(arguments: [1, 3]) func copiedFilesAreNotFetchedTwiceSilently(count: Int) async throws {
        let said = "--skip-existing takes the file"
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let urls = (0..<count).map { server.url("/f\($0)").absoluteString }
        for number in 0..<count { try folder.write("abc", to: "f\(number)") }
        let run = try await folder.spate(["-j", "1"] + urls)
        let notes = run.errorLines.filter { $0.contains(said) }
        #expect(notes.count == 1 && run.errorLines.first == notes.first, "\(run.errorLines)")
        #expect(notes.first?.contains(count == 1 ? "f0 is there" : "3 files are there") == true)
        // Now they are known, under their other names.
        let again = try await folder.spate(urls)
        #expect(!again.child.errors.contains(said) && server.requests.count == count)
        // Whoever says what to do with them need not be told.
        for option in ["--skip-existing", "--overwrite", "-q"] {
            let other = try TemporaryFolder()
            try other.write("abc", to: "f0")
            #expect(try await !other.spate([option, urls[0]]).child.errors.contains(said))
        }
    }

    @Test func theFileOfAnotherURLIsNotUnknown() async throws {
        try await folder.spate([urls[0]])
        let other = try TestServer(files: ["/x/a.bin": .init(a)])
        let run = try await folder.spate([other.url("/x/a.bin").absoluteString])
        #expect(run.errorLines.count == 1 && !run.child.errors.contains("does not know"), "\(run.errorLines)")
    }

    @Test func anotherNameThanInTheURLIsSaid() async throws {
        try folder.write("mine", to: "a.bin")
        let run = try await folder.spate([urls[0]])
        let saved = try #require(try folder.names.first { $0 != "a.bin" })
        #expect(run.errorLines.count == 2)
        let note = "spate: note: \(urls[0]): Saved as \(saved), because a.bin was taken; "
        #expect(
            run.errorLines.last?.hasPrefix(note) == true && run.errorLines.last?.contains("--skip-existing") == true
        )
        #expect(try await folder.spate(["-q", urls[0]]).child.errors == "")
        // The URL itself has a name that looks like that.
        let server = try TestServer(files: ["/a-1a2b3c4d.bin": .init(a)])
        #expect(try await folder.spate([server.url("/a-1a2b3c4d.bin").absoluteString]).child.errors == "")
    }

    @Test func closedStandardStreamsAreNotUsedForFiles() async throws {
        let script = "exec \(try BuiltProgram.path("spate")) \(urls[0]) \(server.url("/none")) <&- >&- 2>&-"
        let child = try ChildProcess("/bin/sh", ["-c", script], environment: [:], folder: folder.path)
        #expect(try await child.waitForExit() == .status(1))
        #expect(try folder.bytes("a.bin") == a)
    }
}
