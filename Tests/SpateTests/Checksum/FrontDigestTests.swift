import Foundation
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// Checksums of files that are being fetched.
@Suite(.takesTurns) struct FrontDigestTests {
    private static let bytes = TestBytes.random(count: 9 << 20)

    private static func sum(_ bytes: [UInt8]) -> Checksum? {
        var digest = DigestLibrary.libcrypto.digest(.sha256)
        bytes.withUnsafeBytes { digest?.update($0) }
        return digest?.finish().map { Checksum(.sha256, digest: $0) }
    }

    /// A file with the bytes in it, and a digest that has been told of them.
    private struct Story {
        let folder: TemporaryFolder
        let file: PartialFile
        let digest: FrontDigest
        var path: String { folder.path("f.part") }

        init(on platform: Platform = .native, isEmpty: Bool = false) throws {
            folder = try TemporaryFolder()
            let opening = try DownloadDirectory(path: FilePath(folder.path), platform: platform)
                .open(
                    FileClaim(HTTPURL("http://h/f"), in: FilePath(folder.path), naming: .derived),
                    isOfDocument: false
                )
            guard case .partial(let file) = opening else { throw SystemError("open") }
            self.file = file
            digest = FrontDigest(.sha256, by: .libcrypto, of: file)
            if !isEmpty { try write(bytes, at: 0) }
        }

        func write(_ bytes: [UInt8], at offset: Int64) throws {
            _ = try bytes.withUnsafeBytes { try file.write($0, at: offset) }
            digest.advance(to: file.filled.front)
        }

        func finish() async throws -> Checksum? {
            try await withCheckedContinuation { continuation in
                digest.finish(size: Int64(bytes.count), while: { true }) { continuation.resume(returning: $0) }
            }.get()
        }
    }

    @Test func whatCameInOrderIsNotReadAgainAtTheEnd() async throws {
        let story = try Story()
        try await eventually("the front has been read") { story.digest.readCount == Int64(Self.bytes.count) }
        // Who read it again would find other bytes.
        let handle = try FileHandle(forWritingTo: URL(filePath: story.path))
        try handle.write(contentsOf: Data(repeating: 0, count: 4_096))
        try handle.close()
        #expect(try await story.finish() == Self.sum(Self.bytes))
    }

    /// The slower write replaces bytes that have been read already.
    @Test func twoThatWriteOneRangeAtTheSameTimeAreReadAnew() async throws {
        let gate = try Gate()
        let isFirst = Locked(true)
        var platform = Platform.native
        platform.write = { descriptor, bytes, count, offset in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if waits { gate.pass() }
            return pwrite(descriptor, bytes, count, off_t(offset))
        }
        let story = try Story(on: platform, isEmpty: true)
        let others = TestBytes.random(count: Self.bytes.count, seed: 2)
        let slower = Thread { try? story.write(others, at: 0) }
        slower.start()
        try await gate.reached()
        try story.write(Self.bytes, at: 0)
        try await eventually("the front has been read") { story.digest.readCount == Int64(Self.bytes.count) }
        gate.open()
        try await eventually("the slower one has written") { slower.isFinished }
        #expect(try await story.finish() == Self.sum(others))
        #expect(try Array(Data(contentsOf: URL(filePath: story.path))) == others)
    }

    @Test func aFileThatStartsOverIsReadAnew() async throws {
        let story = try Story()
        try await eventually("the front has been read") { story.digest.readCount > 0 }
        let newer = TestBytes.random(count: Self.bytes.count, seed: 2)
        try story.file.truncate(to: 0)
        try story.write(newer, at: 0)
        #expect(try await story.finish() == Self.sum(newer))
    }

    @Test func aReadingThatIsNotWantedAnyMoreEnds() async throws {
        let story = try Story()
        let result = await withCheckedContinuation { continuation in
            FrontDigest(.sha256, by: .libcrypto, of: story.file).finish(size: 9 << 20, while: { false }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try result.get() == nil)
    }

    /// A file that came in one response would come the same way again.
    @Test(arguments: [(1, 1), (4, 2)]) func onlyAJoinedFileIsWorthOneMoreFetch(
        connections: Int,
        wholes: Int
    ) async throws {
        let server = try TestServer { .file(TestFile(Self.bytes, etag: "\"v1\""), for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.checksum = Self.sum([])
        request.connections = connections > 1 ? .exactly(connections) : .automatic
        #expect(try await test.manager.download(request).ended().error?.code == .checksumMismatch)
        #expect(server.requests.count { $0.range == nil } == wholes)
    }

    // MARK: What the server states

    private static let content = Array("hello".utf8)
    private static let right = "sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
    private static let wrong = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"

    /// How a download ends whose server states these digests, one with each response, and how often it was asked.
    private static func end(
        _ digests: [String],
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> (result: Result<URL, DownloadError>, asked: Int, names: [String]) {
        let server = try TestServer { request in
            .file(TestFile(content, etag: "\"v1\""), for: request)
                .addingField("Repr-Digest", digests[min(request.visit, digests.count) - 1])
        }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        let result = try await test.manager.download(request).ended()
        #expect(server.requests.allSatisfy { $0.fields["Want-Repr-Digest"]?.hasPrefix("sha-256=10") == true })
        return (result, server.requests.count, test.names)
    }

    @Test func aFileThatIsNotWhatItsServerSaysIsFetchedOnceMore() async throws {
        #expect(try await Self.end([Self.right]).asked == 1)
        let mended = try await Self.end([Self.wrong, Self.right])
        #expect(try mended.asked == 2 && mended.names == ["f"] && mended.result.get().lastPathComponent == "f")
        let broken = try await Self.end([Self.wrong])
        #expect(broken.asked == 2 && broken.names.isEmpty)
        let error = try #require(broken.result.error)
        #expect(error.code == .checksumMismatch && error.message.contains("as the server says in Repr-Digest"))
    }

    @Test func theCallersChecksumCountsMoreThanTheServers() async throws {
        let end = try await Self.end([Self.wrong]) { $0.checksum = Self.sum(Self.content) }
        #expect(end.names == ["f"])
    }
}
