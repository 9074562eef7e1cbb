import Foundation
import Glibc
import Spate
import SpateTestSupport
import Testing

/// A file without a record, as of a folder that was copied without attributes, and a checksum that says what it must be.
@Suite(.takesTurns) struct CopiedFileTests {
    private static let good = Array("abc".utf8)
    private static let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    private let test: TestManager
    private let server: TestServer

    init() throws {
        test = try TestManager { $0.retry = .never }
        server = try TestServer { request in
            .file(TestFile(request.visit == 1 && request.path == "/old" ? Array("abcd".utf8) : Self.good), for: request)
        }
    }

    private func request(
        _ path: String = "/f.txt",
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) -> DownloadRequest {
        var request = DownloadRequest(server.url(path))
        request.sha256 = Self.digest
        change(&request)
        return request
    }

    private func leave(_ text: String, as name: String = "f.txt") throws {
        try Data(text.utf8).write(to: test.folder.url(name))
    }

    @Test func aFileThatHasTheChecksumIsTheFileAndGetsItsRecord() async throws {
        try leave("abc")
        #expect(try await test.manager.download(request()).ended().get() == test.folder.url("f.txt"))
        let stored = try #require(try test.manager.storedDownloads().first)
        #expect(stored.isFinished && stored.url == server.url("/f.txt") && test.names == ["f.txt"])
        // From now on it is found without reading it.
        #expect(test.manager.isDownloaded(server.url("/f.txt")))
        #expect(test.manager.download(server.url("/f.txt")).state.isFinished)
        let manager = test.manager
        let states = try await withDeadline {
            var states: [VerificationResult.State] = []
            for await (_, result) in manager.verify() { states.append(result.state) }
            return states
        }
        #expect(states == [.verified] && server.requests.isEmpty)
    }

    @Test func oneWithOtherBytesStaysAndIsReadOnce() async throws {
        try leave("xbc")
        let file = try await test.manager.download(request()).ended().get()
        #expect(file != test.folder.url("f.txt") && server.requests.count == 1)
        #expect(try test.bytes("f.txt") == Array("xbc".utf8) && test.bytes(file.lastPathComponent) == Self.good)
        #expect(try test.manager.storedDownloads().map(\.file) == [file])
    }

    /// Rule 64: a link is replaced.
    @Test func aLinkIsNoFile() async throws {
        try leave("abc", as: "target")
        #expect(symlink("target", test.folder.path("f.txt")) == 0)
        _ = try await test.manager.download(request()).ended().get()
        #expect(try test.bytes("f.txt") == Self.good && server.requests.count == 1)
        #expect(try test.manager.storedDownloads().map(\.file) == [test.folder.url("f.txt")])
    }

    /// Somebody has put the right bytes into a file that had others when it was finished.
    @Test(arguments: [false, true]) func aChangedFileThatHasTheChecksumIsTheFile(repairs: Bool) async throws {
        _ = try await test.manager.download(server.url("/old")).ended().get()
        #expect(truncate(test.folder.path("old"), 3) == 0)
        let request = request("/old")
        let download = repairs ? test.manager.repair(request) : test.manager.download(request)
        _ = try await download.ended().get()
        let stored = try #require(try test.manager.storedDownloads().first)
        #expect(stored.isFinished && stored.totalBytes == 3 && server.requests.count == 1 && test.names == ["old"])
    }

    @Test func piecesProveAFileToo() async throws {
        let server = try TestServer { .file(PiecedFile.content, for: $0) }
        try Data(PiecedFile.content).write(to: test.folder.url("f"))
        let metalink = try PiecedFile.metalink([server.url("/f")], sum: false)
        _ = try await test.manager.download(#require(test.manager.request(for: metalink))).ended().get()
        #expect(server.requests.isEmpty && test.names == ["f"])
        #expect(try test.manager.storedDownloads().map(\.isFinished) == [true])
    }
}
