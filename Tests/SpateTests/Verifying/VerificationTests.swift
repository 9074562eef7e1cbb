import Foundation
import Glibc
import Spate
import SpateExtendedAttributes
import SpateFileSystemCalls
import SpateHTTPTransport
import SpateLocking
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct VerificationTests {
    private static let abc = Array("abc".utf8)
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let reprDigest = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"

    private let test: TestManager
    private let server: TestServer

    init() throws {
        test = try TestManager()
        server = try TestServer { request in
            let reply = Reply.file(Self.abc, etag: "\"v1\"", for: request)
            return request.path == "/stated" ? reply.addingField("Repr-Digest", Self.reprDigest) : reply
        }
    }

    private var checksum: Checksum { get throws { try Checksum(.sha256, Self.digest) } }

    private func fetch(_ path: String, _ change: (inout DownloadRequest) -> Void = { _ in }) async throws {
        var request = DownloadRequest(server.url(path))
        change(&request)
        _ = try await test.manager.download(request).ended().get()
    }

    private func make(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: test.folder.url(name))
    }

    private func results(
        of manager: DownloadManager? = nil,
        _ change: (inout VerificationOptions) -> Void = { _ in }
    ) async throws -> [(name: String, result: VerificationResult)] {
        var options = VerificationOptions()
        change(&options)
        let stream = (manager ?? test.manager).verify(options)
        return try await withDeadline {
            var results: [(String, VerificationResult)] = []
            for await (file, result) in stream { results.append((file.lastPathComponent, result)) }
            return results
        }
    }

    /// Such as `a: verified`.
    private func states(
        of manager: DownloadManager? = nil,
        _ change: (inout VerificationOptions) -> Void = { _ in }
    ) async throws -> [String] {
        try await results(of: manager, change).map { "\($0.name): \($0.result.state)" }
    }

    private func result(_ name: String) async throws -> VerificationResult {
        try #require(try await results().first { $0.name == name }?.result)
    }

    @Test func eachFinishedFileIsComparedWithTheChecksumThatItWasFetchedWith() async throws {
        try await fetch("/given") { $0.sha256 = Self.digest }
        for algorithm in ["md5:900150983cd24fb0d6963f7d28e17f72", "sha1:a9993e364706816aba3e25717850c26c9cd0d89d"] {
            try await fetch("/\(algorithm.prefix(4))") { $0.checksum = try? Checksum(algorithm) }
        }
        try await fetch("/plain")
        try await fetch("/stated")
        try make("a stranger's", to: "stranger")
        let requests = server.requests.count
        #expect(
            try await states()
                == [
                    "given: verified", "md5_: verified", "plain: sizeOnly", "sha1: verified", "stated: verified",
                ].map { $0.replacing("md5_", with: "md5:") }
        )
        let given = try await result("given")
        #expect(try given.checksum == checksum && given.expectedChecksum == checksum && !given.isBad)
        #expect(given.size == 3 && given.expectedSize == 3 && given.url == server.url("/given"))
        let plain = try await result("plain")
        #expect(plain.checksum == nil && plain.expectedChecksum == nil && plain.error == nil && plain.repair == nil)
        #expect(server.requests.count == requests)
    }

    /// What a mirror states is not kept as the URL's own word. But the bytes were compared with it.
    @Test func aFileFromAMirrorKeepsTheDigestThatTheMirrorStated() async throws {
        let broken = try TestServer { _ in .status(404) }
        var request = DownloadRequest(broken.url("/f"))
        request.mirrors = [server.url("/stated")]
        _ = try await test.manager.download(request).ended().get()
        let result = try await result("f")
        #expect(try result.state == .verified && result.expectedChecksum == checksum)
        #expect(result.url == broken.url("/f"))
    }

    @Test func aDamagedFileIsRepairedByItsRequest() async throws {
        try await fetch("/stated")
        try await fetch("/given") { ($0.sha256, $0.fileName) = (Self.digest, "named") }
        for name in ["stated", "named"] { try test.write(Array("x".utf8), to: name, at: 1) }
        for (name, result) in try await results() {
            #expect(result.state == .damaged && result.isBad && result.error?.code == .checksumMismatch)
            #expect(try result.expectedChecksum == checksum && result.checksum != checksum)
            let repair = try #require(result.repair)
            #expect(try test.bytes(name) == Array("axc".utf8))
            _ = try await test.manager.download(repair).ended().get()
            #expect(try test.bytes(name) == Self.abc)
        }
        #expect(test.names == ["named", "stated"])
        #expect(try await states() == ["named: verified", "stated: verified"])
    }

    /// The repair demands the right bytes: a page, or another version, never replaces the file.
    @Test func aFailedRepairLeavesTheFile() async throws {
        let server = try TestServer { request in
            .file(request.visit == 1 ? Self.abc : Array("abd".utf8), for: request)
        }
        let url = server.url("/f")
        _ = try await test.manager.download(DownloadRequest(url, checksum: checksum)).ended().get()
        try test.write(Array("x".utf8), to: "f", at: 0)
        let repair = try #require(try await result("f").repair)
        #expect(try await test.manager.download(repair).ended().error?.code == .checksumMismatch)
        #expect(try test.bytes("f") == Array("xbc".utf8) && test.names == ["f"])
        #expect(try await states() == ["f: damaged"])
    }

    @Test func aFileOfAnotherSizeIsChanged() async throws {
        try await fetch("/a") { $0.sha256 = Self.digest }
        try await fetch("/b") { $0.sha256 = Self.digest }
        try test.write(Array("more".utf8), to: "a")
        #expect(truncate(test.folder.path("b"), 2) == 0)
        let (a, b) = (try await result("a"), try await result("b"))
        for (result, size) in [(a, 7), (b, 2)] as [(VerificationResult, Int64)] {
            #expect(result.state == .changed && result.error?.code == .fileChanged)
            #expect(result.size == size && result.expectedSize == 3 && result.checksum == nil)
            #expect(try result.repair?.checksum == checksum && result.repair?.replacesExistingFile == true)
        }
    }

    @Test func aGivenChecksumCountsFirstAndForAnyFile() async throws {
        try await fetch("/a") { $0.sha256 = Self.digest }
        try await fetch("/b")
        try make("abc", to: "mine")
        try make("abd", to: "other")
        #expect(symlink("mine", test.folder.path("link")) == 0)
        try FileManager.default.createDirectory(at: test.folder.url("sub"), withIntermediateDirectories: false)
        try make("abc", to: "sub/c")
        let wrong = try Checksum(.md5, String(repeating: "0", count: 32))
        var given: [String: Checksum] = ["a": wrong]
        for name in ["b", "mine", "other", "link", "none", "sub/c", "sub"] { given[name] = try checksum }
        let results = try await results { [given] in $0.checksums = given }
        #expect(
            results.map { "\($0.name): \($0.result.state)" } == [
                "a: damaged", "b: verified", "link: verified", "mine: verified", "none: missing", "other: damaged",
                "sub: failed", "c: verified",
            ]
        )
        #expect(results.filter { $0.result.url != nil }.map(\.name) == ["a", "b"])
        #expect(results.filter { $0.result.repair != nil }.map(\.name) == ["a"])
        #expect(results.filter(\.result.isBad).map(\.name) == ["a", "none", "other", "sub"])
        // What the user's list proves is right, whoever wrote it.
        try test.write(Self.abc, to: "b")
        let longer = try Checksum(.md5, "440ac85892ca43ad26d44c7ad9d47d3e")
        #expect(
            try await self.results { $0.checksums = ["b": longer] }.last { $0.name == "b" }?.result.state == .verified
        )
    }

    @Test(arguments: ["../f", "a/../../f", "/etc/passwd", "a//b", "./a", "a/"])
    func aNameMayNotLeadOutOfTheFolder(name: String) async throws {
        let given = try checksum
        let results = try await results { $0.checksums = [name: given] }
        #expect(results.map(\.result.state) == [.failed] && results.first?.result.error?.code == .badFileName)
    }

    @Test func partialFilesAreTold() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Array(repeating: 1, count: 400_000), for: $0).gated(after: 200_000, gate) }
        let download = test.manager.download(server.url("/f"))
        try await gate.reached()
        try await eventually("the partial file is there") { test.names == ["f.part"] }
        #expect(try await states() == ["f.part: running"])
        download.cancel()
        try await test.filesAreClosed()
        let result = try await result("f.part")
        #expect(result.state == .partial && !result.isBad && result.url == server.url("/f"))
        gate.open()
    }

    @Test func aFileThatCannotBeReadIsNoBadFile() async throws {
        try await fetch("/f") { $0.sha256 = Self.digest }
        var platform = Platform.native
        platform.read = { _, _, _, _ in
            errno = EIO
            return -1
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let manager = DownloadManager(configuration: test.manager.configuration, in: surroundings)
        let result = try #require(try await results(of: manager).first?.result)
        #expect(result.state == .failed && result.error?.code == .fileSystem && result.url == server.url("/f"))
        #expect(result.repair == nil)
    }

    @Test func aFolderThatCannotBeReadIsTheOnlyResult() async throws {
        #expect(try await states(of: DownloadManager(directory: test.folder.url("none"))) == [])
        try make("", to: "file")
        let results = try await results(of: DownloadManager(directory: test.folder.url("file")))
        #expect(results.map(\.result.state) == [.failed] && results.first?.result.error?.code == .fileSystem)
    }

    /// A million files must not drive everything else out of memory.
    @Test func readBytesAreForgotten() async throws {
        try await fetch("/f") { $0.sha256 = Self.digest }
        let advice = Locked<[CInt]>([])
        var platform = Platform.native
        platform.advise = { _, _, _, code in advice.withLock { $0.append(code) } }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let manager = DownloadManager(configuration: test.manager.configuration, in: surroundings)
        #expect(try await states(of: manager) == ["f: verified"])
        #expect(advice.withLock { $0 } == [POSIX_FADV_SEQUENTIAL, POSIX_FADV_DONTNEED])
    }

    /// The workers may be ahead of a reader by a window, not by a folder.
    @Test func aSlowReaderSlowsTheReadingDown() async throws {
        for index in 0..<200 { try make("abc", to: "f\(1_000 + index)") }
        let (opened, given) = (Locked(0), try checksum)
        var platform = Platform.native
        platform.read = { [read = platform.read] descriptor, buffer, count, offset in
            if offset == 0 { opened.withLock { $0 += 1 } }
            return read(descriptor, buffer, count, offset)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let manager = DownloadManager(configuration: test.manager.configuration, in: surroundings)
        var options = VerificationOptions()
        for name in test.names { options.checksums[name] = given }
        options.maxConcurrentFiles = 2
        var iterator = manager.verify(options).makeAsyncIterator()
        let names = test.names
        for (number, name) in names.enumerated() {
            let (file, result) = try #require(await iterator.next())
            #expect(file.lastPathComponent == name && result.state == .verified)
            #expect(opened.withLock { $0 } <= number + 1 + 24)
        }
        #expect(await iterator.next() == nil && opened.withLock { $0 } == 200)
    }

    @Test func leavingTheLoopOrCancellingItsTaskEndsTheReading() async throws {
        let gate = DispatchSemaphore(value: 0)
        try await fetch("/f") { $0.sha256 = Self.digest }
        let isReading = Watched(false)
        var platform = Platform.native
        platform.read = { [read = platform.read] descriptor, buffer, count, offset in
            isReading.update { $0 = true }
            gate.wait()
            return read(descriptor, buffer, count, offset)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        weak var former: DownloadManager?
        do {
            let manager = DownloadManager(configuration: test.manager.configuration, in: surroundings)
            former = manager
            let task = Task { [stream = manager.verify()] in
                var count = 0
                for await _ in stream { count += 1 }
                return count
            }
            _ = try await isReading.wait(for: "it is read") { $0 }
            task.cancel()
            #expect(try await withDeadline { await task.value } == 0)
        }
        gate.signal()
        try await eventually("nothing holds the manager") { former == nil }
    }

    @Test func progressEndsWithEverything() async throws {
        for name in ["a", "b", "c"] { try await fetch("/\(name)") { $0.sha256 = Self.digest } }
        let told = Recorder<VerificationProgress>()
        _ = try await results { $0.progress = { told.append($0) } }
        let all = try await told.wait(for: "the last progress") { $0.last?.files == 3 }
        #expect(all.last?.readBytes == 9)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.files <= $1.files && $0.readBytes <= $1.readBytes })
    }

    /// A file that an update replaces while it is read is read again.
    @Test func aFileThatIsReplacedMeanwhileIsReadAgain() async throws {
        try await fetch("/f") { $0.sha256 = Self.digest }
        try test.write(Array("x".utf8), to: "f", at: 0)
        let (path, spare, isFirst) = (test.folder.path("f"), test.folder.path("spare"), Locked(true))
        try await fetch("/spare") { $0.sha256 = Self.digest }
        var platform = Platform.native
        platform.read = { [read = platform.read] descriptor, buffer, count, offset in
            let replaces = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if replaces { rename(spare, path) }
            return read(descriptor, buffer, count, offset)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let manager = DownloadManager(configuration: test.manager.configuration, in: surroundings)
        #expect(try await results(of: manager) { $0.maxConcurrentFiles = 1 }.first?.result.state == .verified)
    }
}
