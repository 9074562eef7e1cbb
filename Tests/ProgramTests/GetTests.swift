import Foundation
import TestSupport
import Testing

@Suite(.takesTurns) struct GetTests {
    private let folder: TemporaryFolder
    private let a = TestBytes.random(count: 300_000, seed: 1)
    private let b = TestBytes.random(count: 200_000, seed: 2)
    private let c = TestBytes.random(count: 100, seed: 3)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func server() throws -> TestServer {
        try TestServer(files: [
            "/a.bin": .init(a, etag: "\"a\""), "/b.bin": .init(b, etag: "\"b\""), "/dir/c.bin": .init(c, etag: "\"c\""),
        ])
    }

    private func urls(of server: TestServer, _ targets: [String] = ["/a.bin", "/b.bin", "/dir/c.bin"]) -> [String] {
        targets.map { server.url($0).absoluteString }
    }

    @Test func threeFilesAreFetched() async throws {
        let server = try server()
        let run = try SpateRun(urls(of: server), in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(try folder.names == ["a.bin", "b.bin", "c.bin"])
        #expect(try folder.bytes("a.bin") == a)
        #expect(try folder.bytes("b.bin") == b)
        #expect(try folder.bytes("c.bin") == c)
        // Standard error is not a terminal here, and nothing failed.
        #expect(run.child.output == "")
        #expect(run.child.errors == "")
    }

    @Test func theFileGetsTheChosenNameInANewFolder() async throws {
        let server = try server()
        let run = try SpateRun(["get", "-o", "name.dat", "-d", "deep/er", urls(of: server)[0]], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(try folder.bytes("deep/er/name.dat") == a)
    }

    @Test func urlsAreReadFromStandardInput() async throws {
        let server = try server()
        let list =
            "# three\r\n\(urls(of: server)[0])\r\n\n  \(urls(of: server)[1])  # the second\n\(urls(of: server)[2])"
        let run = try SpateRun(["-i", "-", "-j", "2"], in: folder, input: list)
        #expect(try await run.exitCode() == 0)
        #expect(try folder.names == ["a.bin", "b.bin", "c.bin"])
    }

    @Test func aPartOfAListWithoutURLsIsNoFailure() async throws {
        let server = try server()
        var empty = 0
        for part in 1...4 {
            let run = try SpateRun(["-i", "-", "--shard", "\(part)/4"], in: folder, input: urls(of: server)[0])
            #expect(try await run.exitCode() == 0)
            if run.child.errors.hasPrefix("No URL in standard input belongs to part \(part)/4.") { empty += 1 }
        }
        #expect(try empty == 3 && folder.bytes("a.bin") == a)
    }

    @Test func anInputFileOfAria2IsFollowed() async throws {
        let server = try server()
        let urls = urls(of: server)
        let list = """
            \(urls[0])
              out=other.bin
              dir=deep/er
              header=X-One: 1
            \(urls[1])
              checksum=md5=900150983cd24fb0d6963f7d28e17f72
            \(urls[2]) \(String(repeating: "0", count: 64))
            """
        let run = try SpateRun(["-i", "-", "--header", "X-One: 0"], in: folder, input: list)
        // Both checksums are wrong.
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 2)
        #expect(try folder.names == ["deep"])
        #expect(try folder.bytes("deep/er/other.bin") == a)
        for request in server.requests { #expect(request.fields["X-One"] == (request.path == "/a.bin" ? "1" : "0")) }
        let deleted = try SpateRun(["delete", "-i", "-"], in: folder, input: "\(urls[0])\n  dir=deep/er\n")
        #expect(try await deleted.exitCode() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("deep/er")).isEmpty)
    }

    @Test(arguments: [true, false]) func aMirrorIsAskedWhereTheURLFails(byList: Bool) async throws {
        let server = try TestServer { _ in .status(503) }
        let mirror = try TestServer(files: ["/mirror/a.bin": TestFile(a)])
        let (url, other) = (server.url("/a.bin").absoluteString, mirror.url("/mirror/a.bin").absoluteString)
        let words = byList ? ["-i", "-"] : ["--mirror", other, url]
        let run = try SpateRun(
            ["--progress", "plain", "--timeout", "3600"] + words,
            in: folder,
            input: byList ? "\(url)\t\(other)\n" : ""
        )
        #expect(try await run.exitCode() == 0)
        #expect(try folder.bytes("a.bin") == a)
        #expect(server.requests.count == 1 && mirror.requests.count == 1)
        let told = run.errorLines.filter { $0.hasPrefix("a.bin: again now: ") && $0.contains("503") }
        #expect(told.count == 1, "\(run.errorLines)")
    }

    @Test func jobsLimitsTheRunningDownloads() async throws {
        let file = TestFile(TestBytes.random(count: 40_000))
        let targets = (0..<12).map { "/\($0)" }
        let server = try TestServer(files: Dictionary(uniqueKeysWithValues: targets.map { ($0, file) }))
        let run = try SpateRun(["-j", "2"] + urls(of: server, targets), in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(server.mostAtOnce <= 2)
        #expect(server.requests.count == 12)
    }

    @Test func finishedFilesAreNotFetchedAgain() async throws {
        let server = try server()
        try await SpateRun(urls(of: server), in: folder).exitCode()
        let asked = server.requests.count
        let again = try SpateRun(["--json"] + urls(of: server), in: folder)
        #expect(try await again.exitCode() == 0)
        #expect(server.requests.count == asked)
        // Their order is random.
        let ends = try again.events().filter { $0["state"] as? String == "finished" }
        #expect(ends.compactMap { $0["received"] as? Int }.sorted() == [a, b, c].map(\.count).sorted())
    }

    @Test func aMissingFileIsOneErrorLineAndTheOthersAreFetched() async throws {
        let server = try server()
        let missing = server.url("/none.bin", authority: "user:secret@127.0.0.1").absoluteString
        let run = try SpateRun([missing] + urls(of: server), in: folder)
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 1)
        let line = try #require(run.errorLines.first)
        #expect(line.hasPrefix("spate: \(server.url("/none.bin").absoluteString): "))
        #expect(line.contains("404"))
        #expect(!line.contains("secret"))
        #expect(try folder.names == ["a.bin", "b.bin", "c.bin"])
    }

    @Test func filesAboveTheMaximumSizeAreRefused() async throws {
        let server = try server()
        let run = try SpateRun(["--max-size", "250000"] + urls(of: server), in: folder)
        #expect(try await run.exitCode() == 1)
        #expect(run.errorLines.count == 1)
        #expect(try folder.names.contains("b.bin"))
        #expect(try !folder.names.contains("a.bin"))
    }

    @Test func anotherProgramsFileIsReplacedOnlyWithOverwrite() async throws {
        let server = try server()
        try Data("mine".utf8).write(to: folder.url("name"))
        let refused = try SpateRun(["-o", "name", urls(of: server)[0]], in: folder)
        #expect(try await refused.exitCode() == 1)
        #expect(try folder.bytes("name") == Array("mine".utf8))
        let replaced = try SpateRun(["-o", "name", "--overwrite", urls(of: server)[0]], in: folder)
        #expect(try await replaced.exitCode() == 0)
        #expect(try folder.bytes("name") == a)
    }

    @Test func headersAreSent() async throws {
        let server = try server()
        let run = try SpateRun(["--header", "X-One: 1", "--header", "User-Agent: me", urls(of: server)[2]], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(server.requests.first?.fields["X-One"] == "1")
        #expect(server.requests.first?.fields["User-Agent"] == "me")
    }

    @Test func aRemarkIsANoteAndNotAFailure() async throws {
        let server = try TestServer(files: ["/a.bin": .init(a)]) { $1.withoutLength }
        let url = server.url("/a.bin").absoluteString
        let run = try SpateRun([url], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(run.errorLines.count == 1)
        #expect(run.errorLines.first?.hasPrefix("spate: note: \(url): ") == true)
        let quiet = try SpateRun(["-q", "--overwrite", url], in: folder)
        #expect(try await quiet.exitCode() == 0)
        #expect(quiet.child.errors == "")
    }

    @Test func anotherNameThanInTheURLIsSaid() async throws {
        let server = try server()
        let url = urls(of: server)[0]
        try Data("mine".utf8).write(to: folder.url("a.bin"))
        let run = try SpateRun([url], in: folder)
        #expect(try await run.exitCode() == 0)
        let saved = try #require(try folder.names.first { $0 != "a.bin" })
        #expect(run.errorLines == ["spate: note: \(url): Saved as \(saved), because another file is named a.bin."])
        let quiet = try SpateRun(["-q", url], in: folder)
        #expect(try await quiet.exitCode() == 0)
        #expect(quiet.child.errors == "")
    }

    @Test func aNameThatOnlyLooksAvoidedIsNotSaid() async throws {
        let server = try TestServer(files: ["/a-1a2b3c4d.bin": .init(a)])
        try Data("mine".utf8).write(to: folder.url("a.bin"))
        let run = try SpateRun([server.url("/a-1a2b3c4d.bin").absoluteString], in: folder)
        #expect(try await run.exitCode() == 0)
        #expect(run.child.errors == "")
    }

    @Test func closedStandardStreamsAreNotUsedForFiles() async throws {
        let server = try server()
        let urls = urls(of: server, ["/a.bin", "/none"]).joined(separator: " ")
        let script = "exec \(try BuiltProgram.path("spate")) \(urls) <&- >&- 2>&-"
        let child = try ChildProcess("/bin/sh", ["-c", script], environment: [:], folder: folder.path)
        #expect(try await child.waitForExit() == .status(1))
        #expect(try folder.bytes("a.bin") == a)
    }
}
