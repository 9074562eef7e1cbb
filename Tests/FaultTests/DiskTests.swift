import Foundation
import Spate
import SpateTestSupport
import Testing

/// A disk that is full (ResumptionRules.md 67 and 68). All else that a disk may do is tested on an injected platform, among
/// the tests of partial files, and in the simulation.
@Suite(.takesTurns) struct DiskTests {
    private let bytes = TestBytes.random(count: 2_000_000)
    /// A limit in blocks of 512 bytes, which the shell sets before the program begins. More than half a MiB: the thread
    /// sanitizer writes a file of that size as a program begins, and maps it. Where it is cut short, the program crashes
    /// as soon as it looks there.
    private let limit = (command: "ulimit -f 1100", bytes: 1100 * 512)

    @Test(.enabled(if: TemporaryMount.isPossible, "mounting a small file system needs root"))
    func aFullDiskFailsAndALaterTryUsesWhatIsThere() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0).chunked() }
        let mount = try TemporaryMount(.tmpfs(bytes: 3_000_000))
        try Data(count: 2_000_000).write(to: URL(filePath: mount.path("filler")))
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .diskFull && error.keptPartialFile && !error.isRetryable)
        #expect(server.requests.count == 1 && !FileManager.default.fileExists(atPath: mount.path("f")))

        let held = try #require(try test.manager.storedDownloads().first).receivedBytes
        try FileManager.default.removeItem(atPath: mount.path("filler"))
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try Data(contentsOf: URL(filePath: mount.path("f"))), from: bytes) == nil)
        #expect(held > 500_000 && server.requests.last?.range == .rest(from: Int(held)))
    }

    @Test func aFileBeyondTheLimitOfTheProcessFailsAndALaterTryUsesWhatIsThere() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0).chunked() }
        let folder = try TemporaryFolder()
        let url = server.url("/f").absoluteString
        // Beyond the limit the kernel would answer a write by killing the process.
        let limited = try CrashProgram.start(after: limit.command, [url], in: folder.path)
        #expect(try await limited.waitForExit() == .status(1), "\(limited.errors)")
        #expect(limited.errors.contains("File too large") && !FileManager.default.fileExists(atPath: folder.path("f")))

        let held = try Data(contentsOf: folder.url("f.part")).count
        let free = try CrashProgram.start([url], in: folder.path)
        #expect(try await free.waitForExit() == .status(0), "\(free.errors)")
        #expect(TestBytes.difference(try Data(contentsOf: folder.url("f")), from: bytes) == nil)
        #expect(held > 0 && held <= limit.bytes && server.requests.last?.range == .rest(from: Int(held)))
    }

    /// A queue that was left cannot be written either. What can go goes all the same.
    @Test func beyondTheLimitOfTheProcessFilesAreDeletedAllTheSame() async throws {
        let server = try TestServer { [bytes] in $0.path == "/f" ? .file(bytes, for: $0) : .silence }
        let folder = try TemporaryFolder()
        let url = server.url("/f").absoluteString
        let whole = try CrashProgram.start(["-o", "named", url], in: folder.path)
        #expect(try await whole.waitForExit() == .status(0), "\(whole.errors)")
        let waiting = (0..<limit.bytes / 1_000).map {
            server.url("/\($0)?" + String(repeating: "a", count: 1_000)).absoluteString
        }
        let killed = try CrashProgram.start(["-q", "--timeout", "600", url] + waiting, in: folder.path)
        try await eventually("a queue beyond the limit") { [limit] in
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let queue = names.first { $0.hasPrefix(".spate-queue-") }
            return try queue.map { try Data(contentsOf: folder.url($0)).count > limit.bytes } ?? false
        }
        killed.send(SIGKILL)
        _ = try await killed.waitForExit()
        let limited = try CrashProgram.start(after: limit.command, ["delete", waiting[9], url], in: folder.path)
        #expect(try await limited.waitForExit() == .status(1), "\(limited.errors)")
        #expect(
            limited.errors.contains("File too large") && !FileManager.default.fileExists(atPath: folder.path("named"))
        )
        let free = try CrashProgram.start(["delete", waiting[9]], in: folder.path)
        #expect(try await free.waitForExit() == .status(0), "\(free.errors)")
    }

    @Test func aKnownSizeBeyondTheFreeSpaceFailsBeforeTheBody() async throws {
        let gate = try Gate()
        // Half of what a file may measure at all: no disk has that.
        let server = try TestServer { [bytes] _ in
            .bytes(["HTTP/1.1 200 OK", "Content-Length: \(Int64.max / 2)"], bytes).gated(after: 0, gate)
        }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .diskFull && !error.keptPartialFile && !error.isRetryable)
        #expect(server.requests.count == 1 && server.bytesSent == 0 && test.names.isEmpty)
    }
}

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
        let program = try BuiltProgram.path("SpateOneDownload")

        let first = try ChildProcess(program, [url, "first"], environment: [:], folder: folder.path)
        #expect(try await first.waitForExit() == .status(1))
        let mark = try Self.mark(in: folder)
        #expect(try mark > 0 && Self.size(of: "f.part", in: folder) == 600_000)

        let second = try FailingDisk.start(program, [url, "second"], in: folder)
        #expect(try await second.waitForExit() == .status(1), "\(second.errors)")
        #expect(second.errors.contains("Cannot sync"), "\(second.errors)")
        // What was acknowledged before stands, and not one byte that was not.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["f.part"])
        #expect(try Self.size(of: "f.part", in: folder) == mark)
        #expect(try Self.mark(in: folder) == mark)

        let third = try ChildProcess(program, [url, "third"], environment: [:], folder: folder.path)
        #expect(try await third.waitForExit() == .status(0), "\(third.errors)")
        #expect(TestBytes.difference(try Data(contentsOf: folder.url("f")), from: Self.bytes) == nil)
        #expect(server.requests.last?.range == .rest(from: Int(mark)))
    }

    private static func size(of name: String, in folder: TemporaryFolder) throws -> Int {
        try Data(contentsOf: folder.url(name)).count
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
        let path = try BuiltProgram.path("SpateFailingDisk")
        return try ChildProcess(path, [program] + arguments, environment: [:], folder: folder.path)
    }

    /// Whether this system allows it.
    @Sendable static func isPossible() async -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? await start("/bin/true", [], in: folder).waitForExit()) == .status(0)
    }
}
