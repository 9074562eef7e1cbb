import Foundation
import Spate
import TestSupport
import Testing

/// A disk that is full, and one that takes less than it is given (ResumptionRules.md 67 to 69).
///
/// What no real call can be brought to do is tested on an injected platform, among the tests of partial files: EDQUOT
/// (67), an interrupted write (69), EIO on fsync (70).
@Suite(.takesTurns) struct DiskTests {
    private static let needsRoot: Comment = "mounting a small file system needs root"
    private let bytes = TestBytes.random(count: 2_000_000)
    /// A limit in blocks of 512 bytes, which the shell sets before the program begins. More than half a MiB: the thread
    /// sanitizer writes a file of that size as a program begins, and maps it. Where it is cut short, the program crashes
    /// as soon as it looks there.
    private let limit = (command: "ulimit -f 1100", bytes: 1100 * 512)

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
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

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func aRestThatDoesNotFitFailsBeforeTheBodyAndKeepsWhatIsThere() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.chunked().cut(after: 500_000) : reply
        }
        let mount = try TemporaryMount(.tmpfs(bytes: 1_500_000))
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .diskFull && error.keptPartialFile)
        #expect(server.requests.map(\.range) == [nil, .rest(from: 500_000)])
        #expect(try Data(contentsOf: URL(filePath: mount.path("f.part"))).count == 500_000)
    }

    @Test(.enabled(if: TemporaryMount.isPossible, needsRoot))
    func whatAShortWriteTookIsUsed() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0).chunked() }
        // The last write finds room for a part of its bytes.
        let mount = try TemporaryMount(.tmpfs(bytes: 917_504 + 12_288))
        let test = try TestManager { $0.directory = URL(filePath: mount.path) }
        let download = test.manager.download(server.url("/f"))
        #expect(try await download.ended().error?.code == .diskFull)
        let held = try #require(try test.manager.storedDownloads().first).receivedBytes
        let partial = try Data(contentsOf: URL(filePath: mount.path("f.part")))
        // A write that was short is not taken for a whole one.
        #expect(download.progress.receivedBytes <= held)
        #expect(held == partial.count && held % 4_096 == 0 && held > 800_000)
        #expect(TestBytes.difference(partial, from: bytes.prefix(Int(held))) == nil)
    }
}
