import Foundation
import Glibc
import SpateTestSupport
import Testing

@testable import SpateProgram

/// `status`, `resume` and `delete`.
@Suite(.takesTurns) struct FolderCommandTests {
    private let folder: TemporaryFolder
    private let server: TestServer
    private let bytes = TestBytes.random(count: 1_000_000)

    /// The server serves `/whole.bin` completely, and only 400,000 bytes of the others, except for range requests.
    init() throws {
        folder = try TemporaryFolder()
        let file = TestFile(bytes, etag: "\"v1\"")
        server = try TestServer(files: ["/whole.bin": file, "/part.bin": file, "/named": file]) { request, reply in
            request.path == "/whole.bin" || request.range != nil ? reply : reply.cut(after: 400_000)
        }
    }

    private func url(_ target: String) -> String { server.url(target).absoluteString }

    /// Leaves `whole.bin` finished, and `part.bin` and `my name` partial.
    private func fill() async throws {
        try await folder.spate(["--retries", "0", url("/whole.bin"), url("/part.bin")], code: 1)
        try await folder.spate(["--retries", "0", "-o", "my name", url("/named")], code: 1)
        try folder.write("a stranger's", to: "stranger")
    }

    @Test func statusListsFinishedAndPartialFiles() async throws {
        try await fill()
        let asked = server.requests.count
        let table = try await folder.spate(["status"])
        // Without the reasons of the partial files.
        #expect(
            table.child.output.split(separator: "\n").map { $0.replacing(/: The .*/, with: "") } == [
                "partial   400 kB of 1 MB, 40 %  my name    \(url("/named"))",
                "partial   400 kB of 1 MB, 40 %  part.bin   \(url("/part.bin"))",
                "finished  1 MB                  whole.bin  \(url("/whole.bin"))",
            ]
        )
        #expect(table.child.errors == "")
        let events = try await folder.spate(["status", "--json"]).events()
        #expect(events.map { $0["state"] as? String } == ["partial", "partial", "finished"])
        #expect(events.map { $0["received"] as? Int } == [400_000, 400_000, 1_000_000])
        #expect(events.last?["file"] as? String == folder.path("whole.bin"))
        #expect(server.requests.count == asked)
        let script = "exec \(try BuiltProgram.path("spate")) status >&-"
        let closed = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
        #expect(try await closed.waitForExit() == .status(141))
        #expect(closed.errors == "")
    }

    /// As those with a file, so that two of one name can be told apart.
    @Test func statusNamesWaitingAndFailedFilesWithTheirFolders() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            request.path.hasPrefix("/gone") ? .status(404) : .status(200, body: "abc").heldBack(by: gate)
        }
        let host = "127.0.0.1:\(server.port)"
        let outside = folder.path("outside")
        let lists = [
            "--url-folders": ["/p/a", "/gone/b", "/q/a"], "--cut-dirs": ["/x/y/c", "/gone/d%2Fe/f"],
            "-v": ["/g\n  out=sub/a", "/gone/h\n  dir=\(outside)", "/i", "/gone/j"],
        ]
        try FileManager.default.createDirectory(at: folder.url("in"), withIntermediateDirectories: false)
        for (option, targets) in lists {
            let lines = targets.map { server.url("/").absoluteString.dropLast() + $0 }
            try folder.write(lines.joined(separator: "\n"), to: "LIST")
            let words = [option] + (option == "--cut-dirs" ? ["1", "--url-folders"] : [])
            let run = try SpateRun(["-d", "in", "--retries", "0", "-i", "LIST"] + words, in: folder)
            let gone = targets.count { $0.hasPrefix("/gone") }
            try await eventually("only the others wait") { run.errorLines.count >= gone }
            run.child.send(SIGINT)
            #expect(try await run.exitCode() == 130, "\(run.child.errors)")
        }
        let places = [
            "\(host)/p/a", "\(host)/q/a", "\(host)/y/c", "sub/a", "i", "\(host)/gone/b", "\(host)/d_e/f",
            "\(outside)/h", "j",
        ]
        let table = try await folder.spate(["status", "-d", "in"]).child.output.split(separator: "\n")
        let names = table.map { $0.split(separator: /\s{2,}/)[2] }
        #expect(names.sorted() == places.map { $0[...] }.sorted())
        let events = try await folder.spate(["status", "-d", "in", "--json"]).events()
        let files = places.map { $0.hasPrefix("/") ? $0 : folder.path("in/\($0)") }
        #expect(events.compactMap { $0["file"] as? String }.sorted() == files.sorted())
    }

    /// Somebody has cut it since it was finished.
    @Test(arguments: [["repair", "whole.bin"], ["verify", "--repair"], ["--overwrite", "URL"]])
    func aChangedFileIsToldAndMendedAndNothingIsFetchedBesideIt(mend: [String]) async throws {
        let url = url("/whole.bin")
        try await folder.spate([url])
        #expect(truncate(folder.path("whole.bin"), 10) == 0)
        let count = server.requests.count
        let run = try await folder.spate([url], code: 1)
        let reason = try #require(run.errorLines.first)
        #expect(reason.contains("\(folder.path("whole.bin")) has 10 bytes, but had 1000000 when it was finished."))
        #expect(try run.errorLines.count == 1 && server.requests.count == count && folder.files == ["whole.bin"])
        let table = try await folder.spate(["status"]).child.output.split(separator: "\n")
        #expect(table.map { $0.prefix { $0 != " " } } == ["changed", "failed"])
        #expect(table.first?.hasPrefix("changed  10 B of 1 MB  whole.bin  \(url)") == true)
        let deletion = try await folder.spate(["delete", url], code: 1)
        #expect(deletion.errorLines.first?.contains("whole.bin: it was changed since it was finished.") == true)
        try await folder.spate(mend.map { $0 == "URL" ? url : $0 })
        #expect(try folder.bytes("whole.bin") == bytes && folder.files == ["whole.bin"])
        #expect(try await folder.spate(["status"]).child.output.hasPrefix("finished  1 MB  whole.bin"))
    }

    /// From so few that it cannot begin, to enough.
    @Test func withFewDescriptorsACommandDoesItsWorkOrFails() async throws {
        try await fill()
        func succeeds(_ words: String, _ limit: Int) async throws -> (Bool, output: String) {
            let script = "ulimit -n \(limit) && exec \(try BuiltProgram.path("spate")) \(words)"
            let child = try ChildProcess("/bin/sh", ["-c", script], folder: folder.path)
            return (try await child.waitForExit() == .status(0), child.output)
        }
        var counts = [0, 0]
        for limit in 4...24 {
            for (index, words) in ["status", "verify --json"].enumerated() {
                let (isDone, output) = try await succeeds(words, limit)
                if !isDone { continue }
                counts[index] += 1
                let names = ["whole.bin", "part.bin", "my name"]
                #expect(names.allSatisfy(output.contains), "\(words), \(limit): \(output)")
            }
        }
        #expect(counts.allSatisfy { $0 > 0 && $0 < 21 }, "some fail, and some succeed: \(counts)")
        for limit in 4...24 where try folder.files.contains("whole.bin") {
            let (isDone, _) = try await succeeds("delete '\(url("/whole.bin"))'", limit)
            // It fails, too, if it does not know whether there are others.
            #expect(try !isDone || !folder.files.contains("whole.bin"), "\(limit)")
        }
        #expect(try !folder.files.contains("whole.bin"))
    }

    /// The screen is wide enough for lines of any width.
    private func status(
        _ words: [String] = [],
        columns: Int = 100,
        _ environment: [String: String] = [:]
    ) async throws
        -> [String]
    {
        let terminal = try PseudoTerminal(
            try BuiltProgram.path("spate"),
            ["status"] + words,
            in: folder,
            columns: columns,
            rows: 100,
            environment: environment
        )
        #expect(try await terminal.exitCode() == 0)
        return Array(terminal.picture.all.reversed().drop { $0.isEmpty }.reversed())
    }

    @Test func onATerminalStatusBeginsWithASummaryAndItsRowsFit() async throws {
        try await fill()
        try await folder.spate(["-q", "--retries", "0", url("/gone")], code: 1)
        let lines = try await status()
        #expect(lines[0] == "1 finished, 2 partial, 1 failed; 1.8 MB of at least 3 MB")
        // What somebody may have to do something about comes first.
        #expect(lines.dropFirst().map { $0.prefix { $0 != " " } } == ["partial", "partial", "failed", "finished"])
        #expect(lines.dropFirst().map { $0.contains(": http") } == [true, true, true, false])
        #expect(lines.contains { $0.hasSuffix("HTTP 404: \(url("/gone"))") }, "\(lines)")
        for columns in [20, 40, 60, 80] {
            let narrow = try await status(columns: columns)
            #expect(narrow.count > 4 && narrow[narrow.count - 4..<narrow.count].allSatisfy { $0.count < columns })
            #expect(narrow.last?.contains("whole.bin") == true)
        }
        #expect(try await status(["-q"], ["COLUMNS": "40"]).dropFirst().allSatisfy { $0.count < 40 })
    }

    @Test func onATerminalOnlyAFewFinishedFilesAreShownUnlessAllAreAskedFor() async throws {
        let names = (10..<17).map { "f\($0)" }
        let server = try TestServer { .status(200, body: $0.path) }
        try await folder.spate(["-q"] + names.map { server.url("/\($0)").absoluteString })
        let few = try await status()
        #expect(few.count == 7 && few.first == "7 finished; 28 B")
        #expect(few.last == "and 2 more finished; spate status --all shows them")
        for words in [["--all"], ["--all", "-q"]] {
            let all = try await status(words)
            #expect(all.count == 8 && names.allSatisfy { name in all.contains { $0.contains(" \(name) ") } })
        }
        // Programs get all.
        for words in [["status"], ["status", "--all"]] {
            let run = try await folder.spate(words)
            #expect(run.child.output.split(separator: "\n").count == 7 && run.child.errors == "")
        }
        #expect(try await folder.spate(["status", "--json", "--all"]).events().count == 7)
        try await folder.spate(["delete", server.url("/f10").absoluteString])
        // One more row needs no more room than the line about it.
        #expect(try await status().count == 7)
    }

    @Test func resumeFinishesEveryPartial() async throws {
        let nothing = try await folder.spate(["resume"])
        #expect(nothing.errorLines == [Notice.nothingToFinish(in: folder.path).text])
        try await fill()
        let asked = server.requests.count
        try await folder.spate(["resume"])
        #expect(try folder.names == ["my name", "part.bin", "stranger", "whole.bin"])
        #expect(try folder.bytes("my name") == bytes && folder.bytes("part.bin") == bytes)
        #expect(server.requests.dropFirst(asked).map(\.range) == [.rest(from: 400_000), .rest(from: 400_000)])
    }

    @Test func deleteRemovesFinishedAndPartialFilesAndReportsURLsWithoutAFile() async throws {
        try await fill()
        let run = try await folder.spate(["delete", url("/stranger"), url("/part.bin")], code: 1)
        #expect(run.errorLines == [Notice.nothingOf(url("/stranger"), in: folder.path).text])
        #expect(try folder.files == ["my name.part", "stranger", "whole.bin"])
        try await folder.spate(["-o", "another name", url("/whole.bin")])
        try await folder.spate(["delete", url("/whole.bin"), url("/named")])
        #expect(try folder.names == ["stranger"])
    }

    /// The queue knows in which folder the part of a failed or a stopped download is.
    @Test func deleteRemovesAPartThatIsInAFolderOfItsOwn() async throws {
        let words = ["-o", "deep/x", url("/part.bin")]
        try await folder.spate(["--retries", "0"] + words, code: 1)
        #expect(try folder.names(in: "deep") == ["x.part"])
        try await folder.spate(["delete", url("/part.bin")])
        #expect(try folder.names(in: "deep") == [] && folder.names == ["deep"])

        let gate = try Gate()
        let server = try TestServer(files: ["/f": TestFile(bytes)]) { $1.gated(after: 400_000, gate) }
        let f = server.url("/f").absoluteString
        let get = try SpateRun(["--timeout", "600", "-o", "deep/x", f], in: folder)
        try await gate.reached()
        try await eventually("the partial file is there") { try folder.names(in: "deep") == ["x.part"] }
        let refused = try await folder.spate(["delete", f], code: 1)
        #expect(refused.errorLines.count == 1 && refused.child.errors.contains("download or program is using it"))
        get.child.send(SIGKILL)
        try await get.child.waitForExit()
        try await folder.spate(["delete", f])
        #expect(try folder.names(in: "deep") == [] && folder.names == ["deep"])
    }

    @Test func deleteRefusesAFileThatAnotherProcessIsDownloading() async throws {
        let gate = try Gate()
        let server = try TestServer(files: ["/f": TestFile(bytes), "/g": TestFile([1])]) { request, reply in
            request.path == "/f" ? reply.gated(after: 400_000, gate) : reply
        }
        let (f, g) = (server.url("/f").absoluteString, server.url("/g").absoluteString)
        try await folder.spate([g])
        let get = try SpateRun(["--timeout", "600", f], in: folder)
        try await gate.reached()
        try await eventually("the partial file is there") { try folder.names.contains("f.part") }
        let delete = try await folder.spate(["delete", f, g], code: 1)
        #expect(delete.errorLines.count == 1 && delete.child.errors.contains("another download or program is using it"))
        #expect(try folder.names.filter { !$0.hasPrefix(".spate-queue-") } == ["f.part"])
        gate.open()
        #expect(try await get.exitCode() == 0, "\(get.child.errors)")
        #expect(try folder.bytes("f") == bytes)
    }
}
