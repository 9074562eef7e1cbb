import Foundation
import Spate
import SpateTestSupport
import Testing

/// A server that answers as a test says, and a manager that downloads from it.
///
/// Every download of a story is of one URL, and each end is checked for everything that such an end promises.
struct FaultStory {
    static let bytes = TestBytes.random(count: 300_000)
    /// Where the first answer is cut when a story is about what follows.
    static let held = 100_000
    static let file = TestFile(bytes, etag: "\"v1\"")

    let server: TestServer
    let test: TestManager

    /// A story in which each right answer is bent; `request.sequence` is 1 for the first request.
    ///
    /// - Parameter tls: how the server speaks TLS, if it does; the manager trusts the tests' authority then.
    init(
        of file: TestFile = file,
        in folder: TemporaryFolder? = nil,
        tls: ServerTLS? = nil,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in },
        bending bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) throws {
        server = try TestServer(tls: tls) { bend($0, .file(file, for: $0)) }
        let authority = try tls.map { _ in try TestCertificates.authority }
        test = try TestManager(folder: folder) {
            $0.certificateAuthorities = authority
            change(&$0)
        }
    }

    private init(_ server: TestServer, _ test: TestManager) {
        (self.server, self.test) = (server, test)
    }

    /// A story in which the first answer is interrupted, and every later one is bent.
    static func interrupted(
        of file: TestFile = file,
        in folder: TemporaryFolder? = nil,
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 },
        by interrupt: @escaping @Sendable (Reply) -> Reply = { $0.cut(after: held) }
    ) throws -> FaultStory {
        try FaultStory(of: file, in: folder) { $0.sequence == 1 ? interrupt($1) : bend($0, $1) }
    }

    /// A story in which an earlier run was cancelled: its partial file is there for the test to change, and the manager
    /// knows only what is on disk.
    static func leftBehind(
        _ file: TestFile = file,
        in folder: TemporaryFolder? = nil,
        then bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply = { $1 }
    ) async throws -> FaultStory {
        let earlier = try interrupted(of: file, in: folder, then: bend, by: { $0.stalled(after: held) })
        try await earlier.test.leavePartial(of: earlier.server.url("/f"), at: Int64(held))
        return FaultStory(earlier.server, try TestManager(folder: earlier.test.folder))
    }

    /// Downloads, and expects a file of this content after requests for these ranges.
    @discardableResult
    func publishes(
        _ content: [UInt8] = bytes,
        asking ranges: [String?],
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> Download {
        let (download, result) = try await run(change)
        let file = try result.get()
        #expect(file.lastPathComponent == "f" && test.names == ["f"])
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        #expect(server.requests.map(\.range) == ranges)
        return download
    }

    /// Downloads, and expects this error after requests for these ranges, nothing at the final path, and this many of
    /// the first bytes kept.
    @discardableResult
    func fails(
        _ code: DownloadError.Code,
        keeping kept: Int,
        asking ranges: [String?],
        isRetryable: Bool = false,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> DownloadError {
        let error = try #require(try await run(change).result.error)
        #expect(error.code == code && error.isRetryable == isRetryable, "\(error.code): \(error)")
        #expect(error.keptPartialFile == (kept > 0) && test.names == (kept > 0 ? ["f.part"] : []))
        if kept > 0 {
            #expect(TestBytes.difference(try test.bytes("f.part"), from: Self.bytes[..<kept]) == nil)
        }
        #expect(
            server.requests.map(\.range) == ranges,
            "\(server.requests.map { "\($0.path) on connection \($0.connection), turn \($0.turn)" })"
        )
        return error
    }

    /// How the download ends, which must be reported exactly once.
    func run(
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> (download: Download, result: Result<URL, DownloadError>) {
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        let ends = Recorder<Bool>()
        let download = test.manager.download(request, completion: { ends.append($0.error == nil) })
        let result = try await download.ended()
        try await ends.wait(forCount: 1)
        #expect(ends.values == [result.error == nil])
        return (download, result)
    }
}

extension String {
    /// The Range of a request for the rest after the first answer's cut.
    static let rest = rest(from: FaultStory.held)
    /// The Range of a request for the rest with an overlap of 64 KiB.
    static let overlap = "bytes=\(FaultStory.held - 65_536)-"
}

extension TestManager {
    /// Downloads as far as the server goes, cancels, and returns when the partial file is closed.
    func leavePartial(of url: URL, at length: Int64) async throws {
        let received = Recorder<Int64>()
        let download = manager.download(url, progress: { received.append($0.receivedBytes) })
        try await received.wait(until: { $0.last == length })
        download.cancel()
        #expect(try await download.ended().error?.code == .cancelled)
        try await filesAreClosed()
    }
}
