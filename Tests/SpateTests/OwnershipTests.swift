import CSystem
import Foundation
import PartialFiles
import TestSupport
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
        var value = [UInt8](repeating: 0, count: 256)
        let length = getxattr(folder.path("f.part"), "user.spate.owner", &value, value.count)
        return length < 0 ? nil : String(decoding: value.prefix(length), as: UTF8.self)
    }

    /// Leaves a partial file.
    private func leave() async throws {
        let test = try manager { $0.retry = .never }
        #expect(try await test.manager.download(url).ended().error != nil)
        #expect(owner == nil)
    }

    /// A download that waits for a retry far away, with a partial file.
    private func retrying(in test: TestManager) async throws -> Download {
        let download = test.manager.download(url)
        try await eventually("it waits for a retry") {
            if case .waiting(.retry) = download.state { owner != nil } else { false }
        }
        return download
    }

    private func isPatient(_ configuration: inout DownloadManager.Configuration) {
        configuration.retry.firstDelay = .seconds(3_600)
        configuration.retry.maximumDelay = .seconds(3_600)
    }

    @Test(arguments: [false, true])
    func whatAnotherManagerWillRetryOrHasPausedIsLeftToIt(keepsQueue: Bool) async throws {
        let test = try manager {
            isPatient(&$0)
            $0.keepsQueue = keepsQueue
        }
        let download = try await retrying(in: test)
        let others = [try manager(), try manager { $0.keepsQueue = true }]
        for other in others { #expect(other.manager.restore().isEmpty) }
        download.pause()
        for other in others { #expect(other.manager.restore().isEmpty) }
        // Its own manager leaves it paused.
        #expect(test.manager.restore().map(\.id) == [download.id])
        #expect(!download.isBusy && download.result == nil)
        download.resume()
        #expect(try Data(contentsOf: await download.ended().get()) == Data(Self.bytes))
        #expect(server.requests.count == 2)
    }

    @Test func whatWaitsInAnotherManagerIsLeftToItUntilItEnds() async throws {
        try await leave()
        let test = try manager()
        test.manager.feed.queue.isSuspended = true
        let download = test.manager.download(url)
        #expect(owner != nil)
        let other = try manager()
        #expect(other.manager.restore().isEmpty)
        download.cancel()
        #expect(owner == nil)
        #expect(other.manager.restore().map(\.url) == [url])
    }

    @Test func whatEndsHasNoOwner() async throws {
        let test = try manager(isPatient)
        let download = try await retrying(in: test)
        download.cancel()
        #expect(owner == nil)
        let again = test.manager.download(url)
        _ = try await again.ended().get()
        var value = [UInt8](repeating: 0, count: 256)
        #expect(getxattr(folder.path("f"), "user.spate.owner", &value, value.count) < 0 && errno == ENODATA)
    }

    @Test func aManagerThatGoesOwnsNothing() async throws {
        var test: TestManager? = try manager(isPatient)
        let download = try await retrying(in: try #require(test))
        download.pause()
        test = nil
        try await eventually("the manager has gone") { owner == nil }
        #expect(try manager().manager.restore().map(\.url) == [url])
        withExtendedLifetime(download) {}
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

    @Test func aURLInTheQueueOfALivingManagerIsTakenFromNoOtherQueue() async throws {
        let urls = ["/a", "/b"].map { server.url($0) }
        func suspended() throws -> TestManager {
            let test = try manager { $0.keepsQueue = true }
            test.manager.feed.queue.isSuspended = true
            return test
        }
        func kill(_ test: TestManager) {
            test.manager.journal?.close()
            test.manager.cancelAll()
        }
        let killed = try suspended()
        killed.manager.download(urls)
        kill(killed)
        let living = try suspended()
        living.manager.download(urls[0])
        let other = try suspended()
        #expect(other.manager.restore().map(\.url) == [urls[1]])
        // It was not lost.
        kill(living)
        #expect(Set(other.manager.restore().map(\.url)).contains(urls[0]) && other.manager.downloads.count == 2)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 1)
    }
}
