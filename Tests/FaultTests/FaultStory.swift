import Foundation
import Spate
import TestSupport
import Testing

/// A server that answers as a test says, and a manager that makes of it what can be made of it.
///
/// Every download of a story is of one URL, and each end is checked for all that such an end promises.
struct FaultStory {
    static let bytes = TestBytes.random(count: 300_000)
    /// Where the first answer is cut when a story is about what follows.
    static let held = 100_000
    static let file = TestFile(bytes, etag: "\"v1\"")

    let server: TestServer
    let test: TestManager

    /// A story in which each right answer is bent; `request.sequence` tells the first from those that follow.
    ///
    /// - Parameter tls: how the server speaks TLS, if it does; the manager trusts the tests' authority then.
    init(
        of file: TestFile = file,
        tls: ServerTLS? = nil,
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in },
        bending bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) throws {
        server = try TestServer(tls: tls) { bend($0, .file(file, for: $0)) }
        let authority = try tls.map { _ in try TestCertificates.authority }
        test = try TestManager {
            $0.certificateAuthorities = authority
            change(&$0)
        }
    }

    /// A story in which the first answer is cut, the second is bent, and all others are right.
    static func resumed(
        of file: TestFile = file,
        bending bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
    ) throws -> FaultStory {
        try FaultStory(of: file) { request, right in
            switch request.sequence {
            case 1: right.cut(after: held)
            case 2: bend(request, right)
            default: right
            }
        }
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

    /// Downloads, and expects this error after requests for these ranges, nothing at the final path, and so many of the
    /// first bytes kept.
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

    /// The end, which must be told exactly once.
    private func run(
        _ change: (inout DownloadRequest) -> Void
    ) async throws -> (download: Download, result: Result<URL, DownloadError>) {
        var request = DownloadRequest(server.url("/f"))
        change(&request)
        let told = Recorder<Bool>()
        let download = test.manager.download(request, completion: { told.append($0.error == nil) })
        let result = try await download.ended()
        try await told.wait(forCount: 1)
        #expect(told.values == [result.error == nil])
        return (download, result)
    }
}

extension String {
    /// The Range of a request for the rest after the first answer's cut.
    static let rest = "bytes=\(FaultStory.held)-"
    /// The Range of one that compares 64 KiB on the way.
    static let overlap = "bytes=\(FaultStory.held - 65_536)-"
}
