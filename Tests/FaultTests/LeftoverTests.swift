import CSpateSystem
import Foundation
import Spate
import SpateTestSupport
import Testing

/// What an earlier run, a power cut or somebody else left on disk (ResumptionRules.md 72 to 79). What each attribute may have
/// become is in the tables of PartialFilesTests.
@Suite(.mostlyWaits) struct LeftoverTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let attribute: String
        /// `nil` if it is gone.
        let value: String?
        /// From where on the bytes are zeros; `nil` if they are right.
        let zeros: Int?
        /// What the next run asks for.
        let ranges: [String?]

        init(_ attribute: String, _ value: String?, zerosFrom zeros: Int? = nil, asks ranges: String?...) {
            (self.attribute, self.value, self.zeros, self.ranges) = ("user.spate." + attribute, value, zeros, ranges)
        }

        var testDescription: String { "\(attribute) = \(value?.debugDescription ?? "nothing")" }
    }

    private static let otherBoot = "01234567-89ab-cdef-0123-456789abcdef"
    private static let thisBoot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .newlines)

    static let rows = [
        Row("validator", nil, asks: .overlap),
        Row("validator", "\"v1\"\r\nX-Evil: 1", asks: .overlap),
        // Forged: the response decides.
        Row("validator", "\"another\"", zerosFrom: 0, asks: .rest),
        Row("total", "+300000", asks: .rest),
        Row("total", "100000", asks: "bytes=100000-", nil),
        // It has shrunk on the server, or so it seems.
        Row("total", "\(Int64.max)", asks: .rest, nil),
        Row("encoding", "g\u{1}zip", asks: .rest),
        Row("durable", nil, zerosFrom: 0, asks: nil),
        Row("durable", "5 0123", zerosFrom: 0, asks: nil),
        Row("durable", "50000 \(otherBoot)", zerosFrom: 50_000, asks: .rest(from: 50_000)),
        Row("durable", "50000 \(thisBoot ?? "-")", asks: .rest),
    ]

    @Test(arguments: rows) func whateverBecameOfAnAttributeTheFileIsRight(row: Row) async throws {
        let story = try await FaultStory.leftBehind()
        let part = story.test.folder.path("f.part")
        if let value = row.value {
            #expect(setxattr(part, row.attribute, value, value.utf8.count, 0) == 0)
        } else {
            #expect(removexattr(part, row.attribute) == 0)
        }
        if let zeros = row.zeros { try story.test.write(Data(count: FaultStory.held - zeros), to: "f.part", at: zeros) }
        try await story.publishes(asking: [nil] + row.ranges)
        #expect(story.server.requests.allSatisfy { $0.fields["X-Evil"] == nil })
    }

    @Test func aPartialFileThatIsLongerThanItsTotalStartsOver() async throws {
        let story = try await FaultStory.leftBehind()
        try story.test.write(FaultStory.bytes[FaultStory.held...] + [1], to: "f.part")
        try await story.publishes(asking: [nil, nil])
    }

    /// As when a folder was copied into this one. The restart must not begin with the bytes of the other part.
    @Test func ofTwoDamagedPartsNeitherSurvivesARestart() async throws {
        let right = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let server = try TestServer {
            let reply = Reply.file(right, etag: "\"v1\"", for: $0)
            return $0.sequence <= 2 ? reply.stalled(after: FaultStory.held) : reply
        }
        let test = try await folderWithTwoParts(of: server.url("/f"))
        for part in test.names { try test.write("b".utf8, to: part, at: 0) }

        var request = DownloadRequest(server.url("/f"))
        request.sha256 = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        let file = try await TestManager(folder: test.folder).manager.download(request).ended().get()
        #expect(try test.bytes(file.lastPathComponent) == right && test.names.count == 1)
        #expect(server.requests.map(\.range) == [nil, nil, .rest, nil])
    }

    /// The overlap of the first shows that it is damaged. Then the host refuses another download before the file begins
    /// anew.
    @Test func ofTwoDamagedPartsNeitherSurvivesARestartThatWaits() async throws {
        let right = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let gate = try Gate()
        let server = try TestServer {
            if $0.path == "/busy" { return .status(503, fields: ["Retry-After": "1"]) }
            let reply = Reply.file(right, for: $0)
            if $0.sequence <= 2 { return reply.stalled(after: FaultStory.held) }
            return $0.sequence == 3 ? reply.heldBack(by: gate) : reply
        }
        let folder = try await folderWithTwoParts(of: server.url("/f"))
        for part in folder.names { try folder.write("b".utf8, to: part, at: FaultStory.held - 1) }

        let next = try TestManager(folder: folder.folder)
        let download = next.manager.download(server.url("/f"))
        try await server.waitForRequests(3)
        let busy = next.manager.download(server.url("/busy"))
        // It waits for its slot, too.
        try await eventually("the refusal") {
            server.requests.contains { $0.path == "/busy" } && busy.state.isWaiting
        }
        gate.open()
        let file = try await download.ended().get()
        busy.cancel()
        #expect(try next.bytes(file.lastPathComponent) == right)
        #expect(server.requests.filter { $0.path == "/f" }.map { $0.range == nil } == [true, true, false, true])
    }

    /// A folder with two parts of a URL, one under another name.
    private func folderWithTwoParts(of url: URL) async throws -> TestManager {
        let (test, elsewhere) = (try TestManager(), try TestManager())
        // So that its part has another name.
        try Data("a stranger's".utf8).write(to: elsewhere.folder.url("f"))
        for manager in [test, elsewhere] { try await manager.leavePartial(of: url, at: Int64(FaultStory.held)) }
        let other = try #require(elsewhere.names.last)
        let copy = try ChildProcess("/bin/cp", ["-a", elsewhere.folder.path(other), test.folder.path])
        #expect(try await copy.waitForExit() == .status(0) && test.names == [other, "f.part"])
        return test
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
    func withoutAttributesTheSidecarIsUsed() async throws {
        let mount = try TemporaryMount(.ramfs)
        let story = try await FaultStory.leftBehind(in: TemporaryFolder(in: mount.path))
        _ = try await story.run().result.get()
        #expect(TestBytes.difference(try story.test.bytes("f"), from: FaultStory.bytes) == nil)
        #expect(story.server.requests.map(\.range) == [nil, .rest] && story.server.requests[1].ifRange == "\"v1\"")
        #expect(story.test.manager.isDownloaded(story.server.url("/f")) && story.test.names == [".f.spate", "f"])
        try story.test.manager.delete(story.server.url("/f"))
        withExtendedLifetime(mount) { #expect(story.test.names.isEmpty) }
    }

    @Test func ofTwoProcessesOneDownloadsAndTheOtherFails() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(FaultStory.file, for: $0).gated(after: 100_000, gate) }
        let test = try TestManager()
        let arguments = ["--timeout", "600", server.url("/f").absoluteString]
        let child = try CrashProgram.start(arguments, in: test.folder.path)
        try await eventually("bytes on disk") {
            try test.manager.storedDownloads().first?.receivedBytes == 100_000
        }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .inUse && server.requests.count == 1)
        #expect(try test.manager.storedDownloads().first?.isInUse == true && test.manager.restore().isEmpty)
        gate.open()
        #expect(try await child.waitForExit() == .status(0))
        #expect(TestBytes.difference(try test.bytes("f"), from: FaultStory.bytes) == nil)
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.count == 1)
    }
}
