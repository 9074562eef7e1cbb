import Foundation
import Spate
import TestSupport
import Testing

/// A disk that fills up while four connections write to it (ResumptionRules.md S25).
@Suite(.takesTurns, .enabled(if: TemporaryMount.isPossible, "mounting a small file system needs root"))
struct SplitDiskTests {
    /// What each connection brings before the disk is full, and a block of it.
    private static let (held, block) = (400_000, 262_144)

    @Test func aDiskThatFillsUpEndsAllWithOneErrorAndKeepsWhatIsFilled() async throws {
        // On this file system nothing is reserved, so that a write is what fails.
        let mount = try TemporaryMount(.tmpfs(bytes: 8 << 20))
        let gate = try Gate()
        let story = try SplitStory {
            $0.directory = URL(filePath: mount.path)
        } answering: {
            .file(SplitStory.file, for: $0).gated(after: Self.held, gate)
        }
        let (received, ends) = (Recorder<Int64>(), Recorder<DownloadError.Code?>())
        let download = story.test.manager.download(
            story.server.url("/f"),
            progress: { received.append($0.receivedBytes) },
            completion: { ends.append($0.error?.code) }
        )
        try await gate.reached(times: SplitStory.connections)
        let written = Int64(SplitStory.connections * Self.block)
        try await received.wait(until: { $0.contains { $0 >= written } })
        try Self.fill(mount.path("filler"))
        // A block comes within 20 ms, and cannot be written.
        #expect(await story.ticksToTheEnd { gate.open() } <= SplitStory.promptTicks + 20)

        let error = try #require(try await download.ended().error)
        #expect(error.code == .diskFull && error.keptPartialFile && !error.isRetryable)
        #expect(try await ends.wait(forCount: 1) == [.diskFull])
        #expect(!FileManager.default.fileExists(atPath: mount.path("f")))
        let requests = story.server.requests.count
        let filled = try SplitStory.filled(in: mount.path("f.part"))
        let kept = try [UInt8](Data(contentsOf: URL(filePath: mount.path("f.part"))))
        for range in filled {
            #expect(TestBytes.difference(kept[range], from: SplitStory.bytes[range]) == nil)
        }
        let keptCount = filled.reduce(0) { $0 + $1.count }
        #expect(keptCount >= written)

        try FileManager.default.removeItem(atPath: mount.path("filler"))
        let sent = story.server.bytesSent
        _ = try await story.test.manager.download(story.server.url("/f")).ended().get()
        let content = [UInt8](try Data(contentsOf: URL(filePath: mount.path("f"))))
        #expect(SplitStory.version(of: content) == 1)
        // Only what was missing is asked for, and what a connection had on its way when it was cut at a new end.
        let again = story.server.requests.dropFirst(requests)
        let wanted = SplitStory.bytes.count - keptCount + again.count * Self.block
        #expect(story.server.bytesSent - sent <= wanted && again.allSatisfy { $0.range != nil })
    }

    @Test func aFileThatDoesNotFitFailsBeforeAnyHelperAsks() async throws {
        let mount = try TemporaryMount(.tmpfs(bytes: 4 << 20))
        let story = try SplitStory {
            $0.directory = URL(filePath: mount.path)
        } answering: {
            .file(SplitStory.file, for: $0)
        }
        let error = try #require(try await story.test.manager.download(story.server.url("/f")).ended().error)
        #expect(error.code == .diskFull && story.server.requests.count == 1)
    }

    /// Takes all the space that is left.
    private static func fill(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open of \(path)") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw SystemError("write to \(path)") }
    }
}
