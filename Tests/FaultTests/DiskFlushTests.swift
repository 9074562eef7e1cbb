import Foundation
import Spate
import TestSupport
import Testing

/// A disk that cannot keep what it was given (ResumptionRules.md 70).
@Suite(
    .takesTurns,
    .enabled("this system does not let a process filter its own calls") { await FailingDisk.isPossible() }
)
struct DiskFlushTests {
    private static let bytes = TestBytes.random(count: 1_200_000)

    @Test func aSyncThatFailsGoesBackToTheDurableMark() async throws {
        let server = try TestServer { request in
            let right = Reply.file(Self.bytes, etag: "\"v1\"", for: request)
            if request.sequence == 1 { return right.cut(after: 600_000) }
            return request.fields["Run"] == "first" ? .hangUp : right
        }
        let folder = try TemporaryFolder()
        let url = server.url("/f").absoluteString
        let program = try BuiltProgram.path("OneDownload")

        let first = try ChildProcess(program, [url, "first"], environment: [:], folder: folder.path)
        #expect(try await first.waitForExit() == .status(1))
        let mark = try Self.mark(in: folder)
        #expect(try mark > 0 && folder.size(of: "f.part") == 600_000)

        let second = try FailingDisk.start(program, [url, "second"], in: folder)
        #expect(try await second.waitForExit() == .status(1), "\(second.errors)")
        #expect(second.errors.contains("Cannot sync"), "\(second.errors)")
        // What was acknowledged before stands, and not one byte that was not.
        #expect(try folder.names == ["f.part"] && folder.size(of: "f.part") == mark)
        #expect(try Self.mark(in: folder) == mark)

        let third = try ChildProcess(program, [url, "third"], environment: [:], folder: folder.path)
        #expect(try await third.waitForExit() == .status(0), "\(third.errors)")
        #expect(TestBytes.difference(try Data(contentsOf: folder.url("f")), from: Self.bytes) == nil)
        #expect(server.requests.last?.range == .rest(from: Int(mark)))
    }

    @Test func aFileThatCannotBeSyncedIsNotPublished() async throws {
        let server = try TestServer { .file(Self.bytes, etag: "\"v1\"", for: $0) }
        let folder = try TemporaryFolder()
        let arguments = ["-q", server.url("/f").absoluteString]
        let run = try FailingDisk.start(BuiltProgram.path("spate"), arguments, in: folder)
        #expect(try await run.waitForExit() == .status(1))
        #expect(run.errors.contains("Cannot sync"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("f")))

        let next = try CrashProgram.start(arguments, in: folder.path)
        #expect(try await next.waitForExit() == .status(0), "\(next.errors)")
        #expect(TestBytes.difference(try Data(contentsOf: folder.url("f")), from: Self.bytes) == nil)
    }

    /// The offset of the durable mark.
    private static func mark(in folder: TemporaryFolder) throws -> Int {
        let text = try attributes(of: folder.path("f.part"))["user.spate.durable"]
        return try #require(text.flatMap { $0.split(separator: " ").first }.flatMap { Int($0) })
    }
}

/// A disk whose power is cut (ResumptionRules.md 72).
@Suite(.takesTurns, .enabled("a disk takes root, loop devices and mkfs.ext4", PowerCutDisk.isPossible))
struct PowerCutDownloadTests {
    @Test func whatIsReportedFinishedKeepsItsName() async throws {
        let bytes = TestBytes.random(count: 4_096)
        let server = try TestServer { .file(bytes, etag: "\"v1\"", for: $0) }
        let disk = try await PowerCutDisk()
        let test = try TestManager { $0.directory = URL(filePath: disk.path) }
        var files: [URL] = []
        for download in test.manager.download((0..<20).map { server.url("/\($0)") }) {
            files.append(try await download.ended().get())
        }
        try await disk.cutPower()
        for file in files { #expect(try [UInt8](Data(contentsOf: file)) == bytes) }
    }
}

/// A program whose syncs fail.
private enum FailingDisk {
    static func start(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws -> ChildProcess {
        try ChildProcess(
            BuiltProgram.path("FailingDisk"),
            [program] + arguments,
            environment: [:],
            folder: folder.path
        )
    }

    /// Whether this system allows it.
    @Sendable static func isPossible() async -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? await start("/bin/true", [], in: folder).waitForExit()) == .status(0)
    }
}

extension TemporaryFolder {
    fileprivate var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    fileprivate func size(of name: String) throws -> Int {
        try Data(contentsOf: url(name)).count
    }
}
