import Foundation
import Spate
import SpateTestSupport
import Testing

/// The file name that follows from a URL, and taken names (ResumptionRules.md 61 to 66). FileNameTests tests how a name
/// is made, NameSearchTests how it is chosen.
@Suite(.takesTurns) struct NameTests {
    private static let content = TestBytes.random(count: 2_000)

    /// The folder of the downloads, within a folder in which nothing else may appear.
    private struct Scene {
        let outer: TemporaryFolder
        let test: TestManager
        let server: TestServer

        init(_ reply: @escaping @Sendable (ReceivedRequest) -> Reply = { .file(content, for: $0) }) throws {
            let outer = try TemporaryFolder()
            self.outer = outer
            test = try TestManager(folder: outer) { $0.directory = outer.url("in") }
            server = try TestServer(reply)
            try FileManager.default.createDirectory(at: outer.url("in"), withIntermediateDirectories: false)
        }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: outer.path("in")).sorted() }
        }

        func download(_ target: String, named name: String? = nil) async throws -> Result<URL, DownloadError> {
            var request = DownloadRequest(server.url(target))
            request.fileName = name
            return try await test.manager.download(request).ended()
        }

        /// Downloads, and returns the file's name. Nothing else may be in either folder.
        func name(of target: String) async throws -> String {
            let file = try await download(target).get()
            #expect(try test.names == ["in"] && names == [file.lastPathComponent])
            #expect(file.deletingLastPathComponent().path == outer.path("in"))
            #expect(TestBytes.difference(try Data(contentsOf: file), from: content) == nil)
            let url = server.url(target)
            #expect(test.manager.isDownloaded(url) && test.manager.fileURL(for: url) == file)
            return file.lastPathComponent
        }
    }

    @Test(arguments: [
        ("/../../f", "f"), ("/%2e%2e/%2e%2e/f", "f"), ("/..%2f..%2ff", ".._.._f"), ("//etc/passwd", "passwd"),
        ("/", "index.html"), ("/a%0d%0ab", "ab"), ("/.f.spate", "_f.spate"),
        ("/" + String(repeating: "%e2%82%ac", count: 100), String(repeating: "€", count: 76)),
    ])
    func aNameIsMadeSafeAndStaysInsideTheFolder(target: String, wanted: String) async throws {
        #expect(try await Scene().name(of: target) == wanted)
    }

    @Test(arguments: ["../../evil", "/etc/evil", "evil"])
    func aServerNeverChoosesAName(name chosen: String) async throws {
        let scene = try Scene { request in
            let fields: KeyValuePairs = ["Content-Disposition": "attachment; filename=\"\(chosen)\""]
            return request.path == "/f"
                ? .redirect(to: "/elsewhere/" + chosen) : .file(TestFile(Self.content, fields: fields), for: request)
        }
        #expect(try await scene.name(of: "/f") == "f")
    }

    /// All are in the middle of their files at one time.
    @Test func downloadsOfTwoManagersThatWantOneNameGetDifferentOnes() async throws {
        let gate = try Gate()
        let contents = (0..<4).map { TestBytes.random(count: 100_000, seed: UInt64($0) + 7) }
        let server = try TestServer { request in
            .file(contents[Int(request.target.suffix(1)) ?? 0], etag: "\"v1\"", for: request).gated(after: 50_000, gate)
        }
        let first = try TestManager()
        let second = try TestManager(folder: first.folder)
        let downloads = contents.indices.map {
            ($0 % 2 == 0 ? first : second).manager.download(server.url("/f.bin?\($0)"))
        }
        try await gate.reached(times: contents.count)
        gate.open()
        for (download, content) in zip(downloads, contents) {
            let file = try await download.ended().get()
            #expect(TestBytes.difference(try Data(contentsOf: file), from: content) == nil)
        }
        #expect(first.names.count == contents.count && first.names.contains("f.bin"))
        #expect(first.names.allSatisfy { $0.hasPrefix("f") && $0.hasSuffix(".bin") })
    }

    // MARK: What stands there

    @Test(arguments: ["precious", "folder", "nothing"], [nil, "f"])
    func aLinkAtTheFinalPathIsReplacedAndNotFollowed(target: String, chosen: String?) async throws {
        let (scene, stranger) = (try Scene(), try StrangersFolder())
        #expect(symlink(stranger.folder.path(target), scene.outer.path("in/f")) == 0)
        let file = try await scene.download("/f", named: chosen).get()
        #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
        var status = stat()
        #expect(lstat(file.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
        #expect(try scene.names == ["f"] && stranger.isUntouched)
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

    /// Before the download, or during it.
    @Test(arguments: [true, false], [nil, "f"])
    func aStrangersFileIsNotOverwritten(isEarly: Bool, chosen: String?) async throws {
        let gate = try Gate()
        let scene = try Scene { .file(Self.content, etag: "\"v1\"", for: $0).gated(after: 1_000, gate) }
        let path = scene.outer.url("in/f")
        if isEarly { try Data(StrangersFolder.precious).write(to: path) }
        async let end = scene.download("/f", named: chosen)
        if !isEarly {
            try await gate.reached()
            try Data(StrangersFolder.precious).write(to: path)
        }
        gate.open()
        if chosen == nil {
            // As if it had been there before.
            let file = try await end.get()
            #expect(try file.lastPathComponent.hasPrefix("f-") && Data(contentsOf: file) == Data(Self.content))
            #expect(try scene.names == ["f", file.lastPathComponent])
        } else {
            let error = try #require(try await end.error)
            #expect(error.code == .fileExists && !error.isRetryable && error.keptPartialFile != isEarly)
            #expect(try scene.names == (isEarly ? ["f"] : ["f", "f.part"]))
            #expect(scene.server.requests.count == (isEarly ? 0 : 1))
        }
        #expect(try Data(contentsOf: path) == Data(StrangersFolder.precious))
    }
}

/// A sidecar's name is taken, on a file system without attributes (ResumptionRules.md 65).
@Suite(.takesTurns, .enabled(if: TemporaryMount.isPossible, "mounting a file system without attributes needs root"))
struct SidecarOccupiedTests {
    enum Obstacle: CaseIterable {
        case linkToFile, linkToFolder, linkToNothing, pipe, folder, fullFolder, file

        func put(at path: String, belonging stranger: StrangersFolder) -> Bool {
            switch self {
            case .linkToFile: symlink(stranger.folder.path("precious"), path) == 0
            case .linkToFolder: symlink(stranger.folder.path("folder"), path) == 0
            case .linkToNothing: symlink(stranger.folder.path("nothing"), path) == 0
            case .pipe: mkfifo(path, 0o600) == 0
            case .folder: mkdir(path, 0o700) == 0
            case .fullFolder: mkdir(path, 0o700) == 0 && mkdir(path + "/inner", 0o700) == 0
            case .file: FileManager.default.createFile(atPath: path, contents: Data(StrangersFolder.precious))
            }
        }
    }

    /// Where the record is written, and where it ends by rename.
    static let places = [".f.part.spate", ".f.part.spate.tmp", ".f.spate", ".f.spate.tmp"]

    @Test(arguments: Obstacle.allCases, places)
    func aStrangersObjectAtASidecarsPathIsNeverFollowed(obstacle: Obstacle, place: String) async throws {
        let (mount, stranger) = (try TemporaryMount(.ramfs), try StrangersFolder())
        let folder = try TemporaryFolder(in: mount.path)
        #expect(obstacle.put(at: folder.path(place), belonging: stranger))
        let story = try FaultStory.interrupted(in: folder)
        switch try await story.run().result {
        case .success: #expect(TestBytes.difference(try story.test.bytes("f"), from: FaultStory.bytes) == nil)
        case .failure(let error):
            // Where the record cannot be kept, that is said, and nothing is at the final path.
            let isTold = [.fileSystem, .fileExists].contains(error.code) && error.message.contains(place)
            #expect(isTold && !story.test.names.contains("f"), "\(error)")
        }
        let isUntouched = try withExtendedLifetime(mount) { try stranger.isUntouched }
        #expect(isUntouched)
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
