import Foundation
import Spate
import TestSupport
import Testing

/// What stands where a file is to be written (ResumptionRules.md 64 to 66).
@Suite(.takesTurns) struct NameOccupiedTests {
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
    func aStrangersObjectAtThePartialPathIsLeftAlone(obstacle: Obstacle, chosen: String?) async throws {
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

    @Test func aPartialFileThatBecameALinkIsNotFollowed() async throws {
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
        let end = try await download.ended()
        #expect(try scene.test.bytes("f") == Self.precious)
        if chosen == nil {
            // As if it had been there before.
            let file = try end.get()
            #expect(try file.lastPathComponent.hasPrefix("f-") && Data(contentsOf: file) == Data(Self.content))
            #expect(scene.test.names == ["f", file.lastPathComponent])
        } else {
            let error = try #require(end.error)
            #expect(error.code == .fileExists && error.keptPartialFile)
            #expect(scene.test.names == ["f", "f.part"])
        }
    }
}

/// What stands where a sidecar is to be written, on a file system without attributes (ResumptionRules.md 65).
@Suite(.takesTurns, .enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
struct SidecarOccupiedTests {
    private static let content = TestBytes.random(count: 200_000)

    /// Where the record is written, and where it ends by rename.
    static let places = [".f.part.spate", ".f.part.spate.tmp", ".f.spate", ".f.spate.tmp"]

    @Test(arguments: Obstacle.allCases, places)
    func aStrangersObjectAtASidecarsPathIsNeverFollowed(obstacle: Obstacle, place: String) async throws {
        let mount = try TemporaryMount(.ramfs)
        let stranger = try StrangersFolder()
        // There is no hard link between file systems.
        guard obstacle.put(at: mount.path(place), belonging: stranger) else {
            #expect(obstacle == .hardLink)
            return
        }
        let server = try TestServer { request in
            let right = Reply.file(Self.content, etag: "\"v1\"", for: request)
            return request.sequence == 1 ? right.cut(after: 100_000) : right
        }
        let test = try TestManager { $0.directory = URL(filePath: mount.path, directoryHint: .isDirectory) }
        switch try await test.manager.download(server.url("/f")).ended() {
        case .success(let file):
            #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
        case .failure(let error):
            // Where the record cannot be kept, that is said, and nothing is at the final path.
            let isTold = [.fileSystem, .fileExists].contains(error.code) && error.message.contains(place)
            #expect(isTold, "\(error)")
            #expect(!FileManager.default.fileExists(atPath: mount.path("f")))
        }
        #expect(try stranger.isUntouched)
    }
}

/// What a stranger may have put where Spate wants to write, each leading to a file or folder of his.
enum Obstacle: CaseIterable {
    case linkToFile, linkToFolder, linkToNothing, hardLink, pipe, folder, fullFolder, file

    /// Puts it there; false where the system refuses, as a hard link between file systems.
    func put(at path: String, belonging: StrangersFolder) -> Bool {
        switch self {
        case .linkToFile: symlink(belonging.folder.path("precious"), path) == 0
        case .linkToFolder: symlink(belonging.folder.path("folder"), path) == 0
        case .linkToNothing: symlink(belonging.folder.path("nothing"), path) == 0
        case .hardLink: link(belonging.folder.path("precious"), path) == 0
        case .pipe: mkfifo(path, 0o600) == 0
        case .folder: mkdir(path, 0o700) == 0
        case .fullFolder: mkdir(path, 0o700) == 0 && mkdir(path + "/inner", 0o700) == 0
        case .file: FileManager.default.createFile(atPath: path, contents: Data(StrangersFolder.precious))
        }
    }
}

/// A folder outside that of the downloads, which nothing may touch.
final class StrangersFolder: Sendable {
    static let precious = Array("precious".utf8)

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data(Self.precious).write(to: folder.url("precious"))
        try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: false)
    }

    /// Whether the stranger's files are as they were, and no others are there.
    var isUntouched: Bool {
        get throws {
            let files = FileManager.default
            return try Data(contentsOf: folder.url("precious")) == Data(Self.precious)
                && files.contentsOfDirectory(atPath: folder.path).sorted() == ["folder", "precious"]
                && files.contentsOfDirectory(atPath: folder.path("folder")).isEmpty
        }
    }
}
