import CSpateSystem
import Foundation
import Spate
import SpateTestSupport
import Testing

/// Whatever fails, the old file stays, and the next update goes on.
@Suite(.takesTurns) struct FailedUpdateTests {
    private static let failures: [(code: DownloadError.Code, change: Change, answer: UpdateScene.Answer)] = [
        (.httpStatus, { _ in }, { _, _ in .status(404) }),
        (
            .badResponse, { _ in },
            { request, _ in .status(304, fields: request.ifNoneMatch == nil ? [:] : ["ETag": "\"x\""]) }
        ),
        (.badResponse, { _ in }, { _, reply in reply.replacingStatusLine("HTTP/1.1 206 Partial Content") }),
        (.badResponse, { _ in }, { _, _ in .status(200, fields: ["Content-Type": "text/html"], body: "<p>Sign in.") }),
        (.connectionFailed, { _ in }, { _, reply in reply.removingField("ETag").cut(after: 0) }),
        (.incomplete, { $0.expectedBytes = 300_000 }, { $1 }),
        (.checksumMismatch, { _ in }, { _, reply in reply.addingField("Content-MD5", "kAFQmDzST7DWlj99KOF/cg==") }),
        (.redirect, { _ in }, { _, _ in .redirect(to: "ftp://host/f") }),
    ]
    typealias Change = @Sendable (inout DownloadRequest) -> Void

    @Test(arguments: failures.indices) func theOldFileStaysAndTheMessageSaysSo(index: Int) async throws {
        let (code, change, answer) = Self.failures[index]
        let scene = try await UpdateScene { $0.retry.maxRetriesWithoutProgress = 1 }
        let before = try scene.facts()
        scene.serve(UpdateScene.new, answer)
        let download = scene.update(change)
        let error = try await download.ended().error
        #expect(error?.code == code && download.update == nil, "\(error?.message ?? "no error")")
        #expect(error?.message.hasSuffix(" The file from before stays as it is.") == true)
        #expect(try scene.facts() == before && scene.isAlone(UpdateScene.old))
        #expect(scene.test.manager.isDownloaded(scene.url) && error?.keptPartialFile == false)
    }

    /// A scene in which an update was cut after 100,000 bytes, and not tried again.
    private func cut() async throws -> UpdateScene {
        let scene = try await UpdateScene { $0.retry.maxRetriesWithoutProgress = 0 }
        scene.serve(UpdateScene.new) { $1.cut(after: 100_000) }
        let error = try await scene.update().ended().error
        #expect(error?.keptPartialFile == true && scene.test.names == ["f", "f.part"])
        #expect(TestBytes.difference(try scene.test.bytes("f"), from: UpdateScene.old.bytes) == nil)
        scene.serve { $1 }
        return scene
    }

    @Test func thePartOfAnUpdateIsContinuedUnderItsOwnValidator() async throws {
        let scene = try await cut()
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.last?.range == .rest(from: 100_000) && scene.requests.last?.ifRange == "\"v2\"")
        #expect(scene.requests.last?.ifNoneMatch == nil)
        #expect(try scene.isAlone(UpdateScene.new) && download.update == .updated)
    }

    @Test func aPartThatProvesNothingGoesIfTheOldFileIsBack() async throws {
        let scene = try await cut()
        #expect(removexattr(scene.test.folder.path("f.part"), "user.spate.durable") == 0)
        scene.serve(UpdateScene.old)
        let before = try scene.facts()
        let download = scene.update()
        _ = try await download.ended().get()
        #expect(scene.requests.last?.ifNoneMatch == "\"v1\"" && download.update == .unchanged)
        #expect(try scene.facts() == before && scene.isAlone(UpdateScene.old))
    }

    @Test func bothFilesAreListedAndTheFinishedOneIsTheAnswer() async throws {
        let scene = try await cut()
        let manager = scene.test.manager
        let stored = try manager.storedDownloads()
        #expect(stored.map(\.isFinished) == [true, false] && stored.map(\.receivedBytes) == [300_000, 100_000])
        #expect(Set(stored.map(\.file.path)) == [scene.test.folder.path("f")])
        #expect(manager.isDownloaded(scene.url) && manager.isDownloaded(scene.request))
        #expect(manager.fileURL(for: scene.request).path == scene.test.folder.path("f"))
        let plain = manager.download(scene.url)
        #expect(try await plain.ended().get().lastPathComponent == "f" && scene.requests.count == 1)
    }

    @Test func restoringFinishesTheUpdate() async throws {
        let scene = try await cut()
        let restored = scene.test.manager.restore()
        #expect(restored.map(\.request.checksForUpdate) == [true])
        // Whoever wants the finished file gets the newer one.
        let plain = scene.test.manager.download(scene.url)
        #expect(try await plain.ended().get().lastPathComponent == "f")
        #expect(try scene.isAlone(UpdateScene.new))
    }

    @Test func anEmptyPartThatAKillLeftIsTidiedUp() async throws {
        let scene = try await UpdateScene()
        let path = scene.test.folder.path("f.part")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let origin = Array(scene.url.absoluteString.utf8)
        #expect(setxattr(path, "user.xdg.origin.url", origin, origin.count, 0) == 0)
        for download in scene.test.manager.restore() { _ = try await download.ended().get() }
        #expect(try scene.isAlone(UpdateScene.old) && scene.requests.map(\.ifNoneMatch) == ["\"v1\""])
    }

    @Test func deletingRemovesBoth() async throws {
        let scene = try await cut()
        try scene.test.manager.delete(scene.url)
        #expect(scene.test.names.isEmpty)
    }
}
