import Foundation
import Spate
import TestSupport
import Testing

/// What stands where a file is to be written (RESUMPTION.md 64 to 66).
@Suite struct NameOccupiedTests {
    private static let content = TestBytes.random(count: 2_000)
    private static let precious = StrangersFolder.precious

    /// A download's folder, and a stranger's.
    fileprivate struct Scene {
        let stranger: StrangersFolder
        let test: TestManager
        let server: TestServer

        init(
            _ reply: @escaping @Sendable (ReceivedRequest) -> Reply = { .file(content, etag: "\"v1\"", for: $0) }
        ) throws {
            stranger = try StrangersFolder()
            test = try TestManager()
            server = try TestServer(reply)
        }

        func isLink(_ name: String) -> Bool {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: test.folder.path(name))) != nil
        }
    }

    @Test(arguments: ["precious", "folder", "nothing"], [nil, "f"])
    func aLinkAtTheFinalPathIsReplacedAndNotFollowed(target: String, chosen: String?) async throws {
        let scene = try Scene()
        #expect(symlink(scene.stranger.folder.path(target), scene.test.folder.path("f")) == 0)
        var request = DownloadRequest(scene.server.url("/f"))
        request.fileName = chosen
        _ = try await scene.test.manager.download(request).ended().get()
        #expect(try scene.test.names == ["f"] && !scene.isLink("f") && scene.stranger.isUntouched)
        #expect(TestBytes.difference(try scene.test.bytes("f"), from: Self.content) == nil)
    }

    @Test(arguments: Obstacle.allCases, [nil, "f"])
    func whatStandsAtThePartialPathIsLeftAlone(obstacle: Obstacle, chosen: String?) async throws {
        let scene = try Scene()
        let path = scene.test.folder.path("f.part")
        #expect(obstacle.put(at: path, belonging: scene.stranger))
        let before = try FileManager.default.attributesOfItem(atPath: path)
        var request = DownloadRequest(scene.server.url("/f"))
        request.fileName = chosen
        let file = try await scene.test.manager.download(request).ended().get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil && !scene.isLink("f"))
        #expect(try scene.test.names == ["f", "f.part"] && scene.stranger.isUntouched)
        let after = try FileManager.default.attributesOfItem(atPath: path)
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    }

    @Test func aPartialThatBecameALinkIsNotFollowed() async throws {
        let story = try await FaultStory.leftBehind()
        let part = story.test.folder.path("f.part")
        let outer = try TemporaryFolder()
        #expect(rename(part, outer.path("moved")) == 0 && symlink(outer.path("moved"), part) == 0)
        let before = try Data(contentsOf: outer.url("moved"))
        let file = try await story.run().result.get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: FaultStory.bytes) == nil)
        #expect(try story.test.names == ["f", "f.part"] && Data(contentsOf: outer.url("moved")) == before)
    }

    @Test(arguments: [false, true]) func aFolderAtTheFinalPathIsNotReplaced(isEmpty: Bool) async throws {
        let scene = try Scene()
        try FileManager.default.createDirectory(at: scene.test.folder.url("f"), withIntermediateDirectories: false)
        if !isEmpty { try Data(Self.precious).write(to: scene.test.folder.url("f/inner")) }
        var request = DownloadRequest(scene.server.url("/f"))
        for replaces in [false, true] {
            request.replacesExistingFile = replaces
            request.fileName = "f"
            #expect(try await scene.test.manager.download(request).ended().error?.code == .fileExists)
            request.fileName = nil
            let file = try await scene.test.manager.download(request).ended().get()
            #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
            #expect(file.lastPathComponent != "f" && scene.test.names.count == 2)
        }
        let inner = try FileManager.default.contentsOfDirectory(atPath: scene.test.folder.path("f"))
        #expect(inner == (isEmpty ? [] : ["inner"]))
    }

    @Test func aStrangersFileIsNotOverwritten() async throws {
        let scene = try Scene()
        try Data(Self.precious).write(to: scene.test.folder.url("f"))
        var request = DownloadRequest(scene.server.url("/f"))
        request.fileName = "f"
        let error = try #require(try await scene.test.manager.download(request).ended().error)
        #expect(error.code == .fileExists && !error.isRetryable && scene.server.requests.isEmpty)

        let file = try await scene.test.manager.download(scene.server.url("/f")).ended().get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
        #expect(try scene.test.bytes("f") == Self.precious && scene.test.names.count == 2)
    }

    @Test(arguments: [nil, "f"]) func aStrangersFileThatComesDuringTheDownloadIsNotOverwritten(
        chosen: String?
    ) async throws {
        let gate = try Gate()
        let scene = try Scene { .file(Self.content, etag: "\"v1\"", for: $0).gated(after: 1_000, gate) }
        var request = DownloadRequest(scene.server.url("/f"))
        request.fileName = chosen
        let download = scene.test.manager.download(request)
        try await gate.reached()
        try Data(Self.precious).write(to: scene.test.folder.url("f"))
        gate.open()
        let error = try #require(try await download.ended().error)
        #expect(error.code == .fileExists && error.keptPartialFile)
        #expect(try scene.test.bytes("f") == Self.precious && scene.test.names == ["f", "f.part"])
    }
}
