import Foundation
import SpateLocking
import SpateTestSupport
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
    private var same: String { server.url("/same").absoluteString }

    private func isFile(_ file: TestFile) throws -> Bool {
        TestBytes.difference(try folder.bytes("f"), from: file.bytes) == nil
    }

    @Test func anUpdateSaysWhatHasChanged() async throws {
        try await folder.spate([url, same])
        state.withLock { $0.file = Self.new }
        let json = try await folder.spate(["--update", "--json", url, same])
        #expect(try isFile(Self.new) && folder.names == ["f", "same"])
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
        let asked = server.requests.count
        let plain = try await folder.spate(["--json", url])
        #expect(try plain.events().last?["update"] is NSNull && isFile(Self.new) && server.requests.count == asked)
        // Plain lines say it, too.
        let lines = try await folder.spate(["--update", "--progress", "plain", url, same]).errorLines.sorted()
        #expect(lines.count == 3)
        #expect(lines.contains("same: 300 kB, unchanged"))
        #expect(lines.contains { $0.hasPrefix("f: 300 kB in ") && $0.hasSuffix(", updated") })
        #expect(lines.contains { $0.hasPrefix("1 file, 300 kB in ") && $0.hasSuffix(", 1 updated, 1 unchanged") })
    }

    @Test func anInterruptedUpdateIsListedAndResumed() async throws {
        try await folder.spate([url])
        state.withLock { $0 = (Self.new, 100_000) }
        let failed = try await folder.spate(["--update", "--retries", "0", url], code: 1)
        #expect(try isFile(Self.old) && folder.files == ["f", "f.part"])
        #expect(failed.errorLines.last?.hasSuffix("The file from before stays as it is.") == true)
        let status = try await folder.spate(["status"])
        #expect(
            status.child.output.split(separator: "\n").map { $0.replacing(/: The .*/, with: "") } == [
                "finished  300 kB                  f  \(url)", "partial   100 kB of 200 kB, 50 %  f  \(url)",
            ]
        )
        state.withLock { $0.cut = nil }
        let end = try await folder.spate(["resume", "--json"]).events().last
        #expect(try isFile(Self.new) && folder.names == ["f"])
        #expect(end?["update"] as? String == "updated")
        #expect(server.requests.last?.range == .rest(from: 100_000) && server.requests.last?.ifRange == "\"v2\"")
    }

    @Test func anExistingFileIsSkipped() async throws {
        try folder.write("mine", to: "f")
        let end = try await folder.spate(["--skip-existing", "--json", url]).events().last
        #expect(try server.requests.isEmpty && folder.names == ["f"])
        #expect(end?["file"] as? String == folder.path("f"))
    }

    @Test func aFileGetsTheServersTime() async throws {
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        state.withLock { $0.file.lastModified = date }
        try await folder.spate(["-R", url])
        let facts = try FileManager.default.attributesOfItem(atPath: folder.path("f"))
        #expect(facts[.modificationDate] as? Date == date)
    }
}
