import Foundation
import Spate
import SpateFilePaths
import SpateFileSystemCalls
import SpateHTTPResumption
import SpateHTTPSyntax
import SpateHTTPTransport
import SpateLocking
import SpatePartialFiles
import SpateTestSupport
import Testing

/// A request for a file that is on disk already.
@Suite(.takesTurns) struct FinishedFileTests {
    private static let good = Array("abc".utf8)
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    /// Downloads `/f` as the server had it once, or alters it then, and asks for it again.
    private func again(
        had old: [UInt8],
        has new: [UInt8] = good,
        alteredTo altered: [UInt8]? = nil,
        _ change: (inout DownloadRequest) -> Void
    ) async throws -> (result: Result<URL, DownloadError>, test: TestManager, requests: Int) {
        let server = try TestServer { .file($0.visit == 1 ? old : new, for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.download(request).ended().get()
        if let altered {
            let file = try FileHandle(forUpdating: test.folder.url.appending(path: "f"))
            try file.write(contentsOf: altered)
            try file.close()
        }
        change(&request)
        let result = try await test.manager.download(request).ended()
        return (result, test, server.requests.count)
    }

    @Test func aFileWithAnotherChecksumOrSizeIsReplacedByTheRightOne() async throws {
        let xbc = Array("xbc".utf8)
        let wanted: [(alteredTo: [UInt8]?, had: [UInt8], change: (inout DownloadRequest) -> Void)] = [
            (xbc, Self.good, { $0.sha256 = Self.digest }),
            (nil, xbc, { $0.sha256 = Self.digest }),
            (nil, Array("abcd".utf8), { $0.expectedBytes = 3 }),
            (nil, Array("abcd".utf8), { $0.maximumBytes = 3 }),
        ]
        for (altered, old, change) in wanted {
            let (result, test, requests) = try await again(had: old, alteredTo: altered, change)
            #expect(try result.get().lastPathComponent == "f" && requests == 2)
            #expect(try test.bytes("f") == Self.good && test.names == ["f"])
        }
    }

    /// A killed process had begun it before another one finished the file.
    @Test(arguments: [nil, digest]) func aUselessPartBesideItIsRemoved(checksum: String?) async throws {
        let server = try TestServer { .file(Self.good, etag: "\"v1\"", for: $0) }
        let (test, elsewhere) = (try TestManager(), try TemporaryFolder())
        var request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.download(request).ended().get()
        let opening = try DownloadDirectory(path: FilePath(elsewhere.path)).open(
            FileClaim(try HTTPURL(request.url.absoluteString), in: FilePath(elsewhere.path), naming: .derived),
            isOfDocument: false
        )
        guard case .partial(let part) = opening else { throw SystemError("a partial file", number: EEXIST) }
        try part.begin(total: 3, validator: .etag("\"v1\""), encoding: nil)
        try Array("a".utf8).withUnsafeBytes { bytes in _ = try part.write(bytes, at: 0) }
        part.close()
        try FileManager.default.moveItem(at: elsewhere.url("f.part"), to: test.folder.url("f.part"))
        request.sha256 = checksum
        _ = try await test.manager.download(request).ended().get()
        #expect(test.names == ["f"] && server.requests.count == 1)
    }

    @Test func itStaysIfTheServerHasNoBetterOne() async throws {
        let old = Array("xbc".utf8)
        let wanted: [(DownloadError.Code, (inout DownloadRequest) -> Void)] = [
            (.checksumMismatch, { $0.sha256 = Self.digest }), (.incomplete, { $0.expectedBytes = 4 }),
            (.tooLarge, { $0.expectedBytes = 2 }), (.tooLarge, { $0.maximumBytes = 2 }),
        ]
        for (code, change) in wanted {
            let (result, test, requests) = try await again(had: old, has: old, change)
            #expect(result.error?.code == code && requests == 2)
            #expect(try test.bytes("f") == old && test.names == ["f"])
        }
    }

    /// Before a file of the last minute is reported, its folder is synced, which may take seconds.
    @Test(arguments: [false, true]) func aFileThatIsRemovedWhileItsNameIsSyncedIsFetchedAgain(asks: Bool) async throws {
        let server = try TestServer { .file(Self.good, for: $0) }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        let (path, isThere) = (test.folder.path("f"), Locked(true))
        var platform = Platform.native
        platform.sync = { descriptor in
            if isThere.withLock({ $0 }) { unlink(path) }
            isThere.withLock { $0 = false }
            return fsync(descriptor)
        }
        let surroundings = Surroundings(transport: CurlTransport.shared, platform: platform)
        let later = DownloadManager(configuration: .init(directory: test.folder.url), in: surroundings)
        var request = DownloadRequest(server.url("/f"))
        // Then an attempt finds it, not the call that enqueues.
        if asks { request.sha256 = Self.digest }
        _ = try await later.download(request).ended().get()
        #expect(try test.bytes("f") == Self.good && server.requests.count == 2)
    }
}
