import Foundation
import Locking
import TestSupport
import Testing

/// `--update`, `--skip-existing` and `--remote-time`.
@Suite(.takesTurns) struct UpdateOptionTests {
    private static let old = TestFile(TestBytes.random(count: 300_000, seed: 1), etag: "\"v1\"")
    private static let new = TestFile(TestBytes.random(count: 200_000, seed: 2), etag: "\"v2\"")

    private let folder: TemporaryFolder
    private let server: TestServer
    private let state = Locked<(file: TestFile, cut: Int?)>((old, nil))

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { [state] request in
            if request.path == "/same" { return .file(Self.old, for: request) }
            let (file, cut) = state.withLock { $0 }
            let reply = Reply.file(file, for: request)
            return cut.map { reply.cut(after: $0) } ?? reply
        }
    }

    private var url: String { server.url("/f").absoluteString }

    private func run(_ words: String...) async throws -> (code: Int32, run: SpateRun) {
        let run = try SpateRun(words, in: folder)
        return (try await run.exitCode(), run)
    }

    private func isFile(_ file: TestFile) throws -> Bool {
        TestBytes.difference(try folder.bytes("f"), from: file.bytes) == nil
    }

    @Test func anUpdateSaysWhatHasChanged() async throws {
        let same = server.url("/same").absoluteString
        #expect(try await run(url, same).code == 0)
        state.withLock { $0.file = Self.new }
        let (code, json) = try await run("--update", "--json", url, same)
        #expect(try code == 0 && isFile(Self.new) && folder.names == ["f", "same"])
        let ends = try json.events().filter { $0["state"] as? String == "finished" }
        #expect(ends.count == 2 && json.errorLines.isEmpty)
        for end in ends {
            let isSame = end["url"] as? String == same
            #expect(end["update"] as? String == (isSame ? "unchanged" : "updated"))
            #expect(end["received"] as? Int == (isSame ? 300_000 : 200_000))
        }
        #expect(try json.events().allSatisfy { $0["state"] as? String == "finished" || $0["update"] is NSNull })
        // Without the option the files are the answer.
        state.withLock { $0.file = Self.old }
        let (_, plain) = try await run("--json", url)
        #expect(try plain.events().last?["update"] is NSNull && isFile(Self.new))
    }

    @Test func plainLinesSayItToo() async throws {
        let same = server.url("/same").absoluteString
        #expect(try await run(url, same).code == 0)
        state.withLock { $0.file = Self.new }
        let (_, run) = try await run("--update", "--progress", "plain", url, same)
        let lines = run.errorLines.sorted()
        #expect(lines.count == 3)
        #expect(lines.contains("same: 300 kB, unchanged"))
        #expect(lines.contains { $0.hasPrefix("f: 200 kB in ") && $0.hasSuffix(", updated") })
        #expect(lines.contains { $0.hasPrefix("1 file, 200 kB in ") && $0.hasSuffix(", 1 updated, 1 unchanged") })
    }

    @Test func anInterruptedUpdateIsListedAndResumed() async throws {
        #expect(try await run(url).code == 0)
        state.withLock { $0 = (Self.new, 100_000) }
        let (code, failed) = try await run("--update", "--retries", "0", url)
        #expect(try code == 1 && isFile(Self.old) && folder.names == ["f", "f.part"])
        #expect(failed.errorLines.last?.hasSuffix("The file from before stays as it is.") == true)
        let (_, status) = try await run("status")
        #expect(
            status.child.output.split(separator: "\n") == [
                "finished  300 kB                  f  \(url)", "partial   100 kB of 200 kB, 50 %  f  \(url)",
            ]
        )
        state.withLock { $0.cut = nil }
        let (resumed, end) = try await run("resume", "--json")
        #expect(try resumed == 0 && isFile(Self.new) && folder.names == ["f"])
        #expect(try end.events().last?["update"] as? String == "updated")
        #expect(server.requests.last?.range == .rest(from: 100_000) && server.requests.last?.ifRange == "\"v2\"")
    }

    @Test func anExistingFileIsSkipped() async throws {
        try Data("mine".utf8).write(to: folder.url("f"))
        let (code, json) = try await run("--skip-existing", "--json", url)
        #expect(try code == 0 && server.requests.isEmpty && folder.names == ["f"])
        #expect(try json.events().last?["file"] as? String == folder.path("f"))
    }

    @Test(arguments: ["--remote-time", "-R"]) func aFileGetsTheServersTime(option: String) async throws {
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        state.withLock { $0.file.lastModified = date }
        #expect(try await run(option, url).code == 0)
        let facts = try FileManager.default.attributesOfItem(atPath: folder.path("f"))
        #expect(facts[.modificationDate] as? Date == date)
    }
}
