import CSpateSystem
import Foundation
import SpateFileSystemCalls
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// What a living manager or process has begun is not taken for what was left behind.
@Suite(.takesTurns) struct OwnershipTests {
    private static let bytes = TestBytes.random(count: 2_000)
    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { request in
            let file = Reply.file(Self.bytes, etag: "\"v1\"", for: request)
            return request.range == nil ? file.cut(after: 1_000) : file
        }
    }

    private var url: URL { server.url("/f") }

    private func manager(_ change: (inout DownloadManager.Configuration) -> Void = { _ in }) throws -> TestManager {
        try TestManager(folder: folder, change)
    }

    /// What the partial file says of its owner.
    private var owner: String? {
        get throws { try attributes(of: folder.path("f.part"))["user.spate.owner"] }
    }

    /// Leaves a partial file.
    private func leave() async throws {
        let test = try manager { $0.retry = .never }
        #expect(try await test.manager.download(url).ended().error != nil)
        // Its end is told a moment before.
        try await eventually("nobody owns it") { try owner == nil }
    }

    @Test func whatWaitsInAnotherManagerIsLeftToItUntilItEnds() async throws {
        try await leave()
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(url)
        #expect(try owner != nil)
        let other = try manager()
        #expect(other.manager.restore().isEmpty)
        download.cancel()
        #expect(try owner == nil)
        #expect(other.manager.restore().map(\.url) == [url])
    }

    /// The partial file has a hash in its name then.
    @Test func whatWaitsIsOwnedAlsoIfAStrangerHasTheNameOfItsPart() async throws {
        try Data("mine".utf8).write(to: folder.url("f.part"))
        let test = try manager { $0.retry = .never }
        #expect(try await test.manager.download(url).ended().error?.keptPartialFile == true)
        let later = try manager()
        later.manager.feed.queue.isSuspended = true
        let download = later.manager.download(url)
        #expect(download.progress.receivedBytes == 1_000)
        let other = try manager()
        #expect(other.manager.restore().isEmpty)
        download.cancel()
        #expect(other.manager.restore().map(\.url) == [url])
        #expect(try test.bytes("f.part") == Array("mine".utf8))
    }

    /// A mirror that has another file begins a second partial file.
    @Test func whatFailedAtAMirrorToo() async throws {
        let other = TestBytes.random(count: 2_000, seed: 2)
        let server = try TestServer { request in
            if request.path == "/g" { return .file(other, etag: "\"v2\"", for: request).cut(after: 500) }
            return request.sequence == 1
                ? .file(Self.bytes, etag: "\"v1\"", for: request).cut(after: 1_000) : .status(404)
        }
        let test = try manager()
        var request = DownloadRequest(server.url("/f"))
        request.mirrors = [server.url("/g")]
        #expect(try await test.manager.download(request).ended().error != nil)
        let parts = try test.manager.storedDownloads()
        #expect(parts.count == 2 && parts.allSatisfy { $0.file.lastPathComponent == "f" })
        // Its end is told a moment before.
        let later = try manager()
        try await eventually("both are released") { later.manager.restore().map(\.url) == [request.url] }
    }

    /// A queue may name other folders, which are not read as a whole.
    @Test func whatAnotherWritesIntoAFolderOfALeftQueueIsLeftToIt() async throws {
        let elsewhere = try TemporaryFolder()
        let server = try TestServer { .file(Self.bytes, for: $0).stalled(after: 1_000) }
        let request = DownloadRequest(server.url("/f"), directory: elsewhere.url)
        let killed = try manager { $0.keepsQueue = true }
        killed.manager.feed.queue.isSuspended = true
        killed.manager.download(request)
        killed.manager.journal?.close()
        killed.manager.cancelAll()

        let writer = try manager()
        let download = writer.manager.download(request)
        try await eventually("some bytes") { download.progress.receivedBytes == 1_000 }
        let test = try manager { $0.keepsQueue = true }
        test.manager.feed.queue.isSuspended = true
        #expect(test.manager.restore().isEmpty)
        download.cancel()
        try await eventually("it is let go of") { !writer.manager.hasOpenFile(download) }
        #expect(test.manager.restore().map(\.url) == [request.url])
    }

    @Test func whatFailedHereAMomentAgoIsRestored() async throws {
        let test = try manager { ($0.keepsQueue, $0.retry) = (true, .never) }
        // Keeps the journal in the folder.
        let other = test.manager.download(server.url("/other"))
        other.pause()
        #expect(try await test.manager.download(url).ended().error != nil)
        #expect(test.manager.restore().map(\.url).contains(url))
    }

    @Test func anotherProcessOwnsAFileUntilItsEnd() async throws {
        try await leave()
        let process = try ChildProcess("/bin/sleep", ["600"])
        let text = try #require(FileOwner(process: process.pid, manager: 1)).text
        #expect(setxattr(folder.path("f.part"), "user.spate.owner", text, text.utf8.count, 0) == 0)
        let test = try manager()
        #expect(test.manager.restore().isEmpty)
        process.send(SIGKILL)
        _ = try await process.waitForExit()
        #expect(test.manager.restore().map(\.url) == [url])
    }

    @Test func anOwnerIsReadBackAndNothingElseIs() throws {
        let ownership = Ownership()
        let owner = try #require(ownership.owner)
        #expect(FileOwner(owner.text) == owner && owner.isAlive(on: .native))
        let parts = owner.text.split(separator: " ")
        let (boot, process, start, manager) = (parts[0], parts[1], parts[2], parts[3])
        let otherBoot = "11111111-2222-3333-4444-555555555555"
        for text in ["\(otherBoot) \(process) \(start) \(manager)", "\(boot) \(process) 1\(start) \(manager)"] {
            #expect(try !#require(FileOwner(text)).isAlive(on: .native), "\(text)")
        }
        for text in [
            "", "\(boot)", "\(boot) -1 \(start) \(manager)", "\(boot) 0 \(start) \(manager)", owner.text + " ",
            owner.text + " 1", "x \(process) \(start) \(manager)",
        ] {
            #expect(FileOwner(text) == nil, "\(text)")
        }
        ownership.end()
        #expect(!owner.isAlive(on: .native))
    }
}
