import Foundation
import Spate
import TestSupport
import Testing

/// The file name that follows from a URL (ResumptionRules.md 61 to 63).
@Suite(.takesTurns) struct NameTests {
    private static let content = TestBytes.random(count: 2_000)

    /// Downloads into a folder within a folder, and returns the file's name. Nothing else may be in either folder.
    private func name(
        of target: String,
        _ reply: @escaping @Sendable (ReceivedRequest) -> Reply = { .file(content, for: $0) }
    ) async throws -> String {
        let server = try TestServer(reply)
        let outer = try TemporaryFolder()
        let test = try TestManager(folder: outer) { $0.directory = outer.url("in") }
        let url = server.url(target)
        let file = try await test.manager.download(url).ended().get()
        #expect(test.names == ["in"] && file.deletingLastPathComponent().path == outer.path("in"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outer.path("in")) == [file.lastPathComponent])
        #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.content) == nil)
        #expect(test.manager.isDownloaded(url) && test.manager.fileURL(for: url) == file)
        return file.lastPathComponent
    }

    @Test(arguments: [
        ("/../../f", "f"), ("/a/../../../f", "f"), ("/..%2f..%2ff", ".._.._f"), ("/%2e%2e/%2e%2e/f", "f"),
        ("/%2e%2e%2ff", ".._f"), ("/%2fetc%2fpasswd", "_etc_passwd"), ("//etc/passwd", "passwd"),
        ("/..%5c..%5cf", ".._.._f"), ("/..%252f..%252ff", "..%2f..%2ff"), ("/%2e%2e%c0%aff", ".._f"),
    ])
    func aPathStaysInsideTheFolder(target: String, wanted: String) async throws {
        let found = try await name(of: target)
        // How many marks stand for what is no UTF-8 is left open.
        let bare = found.replacingOccurrences(of: "__", with: "_")
        #expect(bare == wanted)
    }

    @Test(arguments: ["../../evil", "/etc/evil", "evil", "..%2fevil"])
    func aServerNeverChoosesAName(name chosen: String) async throws {
        let found = try await name(of: "/f") { request in
            request.path == "/f"
                ? .redirect(to: "/elsewhere/" + chosen)
                : .file(
                    TestFile(Self.content, fields: ["Content-Disposition": "attachment; filename=\"\(chosen)\""]),
                    for: request
                )
        }
        #expect(found == "f")
    }

    private static let long = String(repeating: "a", count: 300)

    @Test(arguments: [
        ("/", "index.html"), ("/dir/", "index.html"), ("/?x=/y", "index.html"), ("/%2e", "index.html"),
        ("/%2e%2e", "index.html"), ("/%20", "index.html"), ("/%00", "index.html"), ("/a%00b", "ab"),
        ("/a%00.txt%2f", "a.txt_"), ("/a%0d%0ab", "ab"), ("/a%1b%5b31mb", "a[31mb"), ("/a%7fb", "ab"),
        ("/a%e2%80%aegpj.exe", "agpj.exe"), ("/%20a%20", "a"), ("/f.part", "f_part"), ("/f.PART", "f_part"),
        ("/.f.spate", "_f.spate"), ("/~", "~"), ("/-rf", "-rf"), ("/" + long, String(long.prefix(230))),
        ("/" + long + ".tar.gz", String(long.prefix(223)) + ".tar.gz"),
    ])
    func anUnsafeNameIsMadeSafe(target: String, wanted: String) async throws {
        #expect(try await name(of: target) == wanted)
    }

    @Test func aLongNameIsNotCutWithinACharacter() async throws {
        let found = try await name(of: "/" + String(repeating: "%e2%82%ac", count: 100))
        #expect(found == String(repeating: "€", count: 76))
    }

    @Test(arguments: [
        "", ".", "..", "../f", "/f", "a/b", "a\u{0}b", "a\nb", "f/", long, "f.part", ".f.spate",
    ])
    func anUnsafeNameThatTheCallerChoseIsRefused(name: String) async throws {
        let server = try TestServer { .file(Self.content, for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.fileName = name
        #expect(try await test.manager.download(request).ended().error?.code == .badFileName)
        #expect(server.connectionCount == 0 && test.names.isEmpty)
    }

    /// The files behind `?0` to `?4`, each of which is called `f.bin`.
    private static let many = (0..<5).map { TestBytes.random(count: 100_000, seed: UInt64($0) + 7) }

    @Test func downloadsThatWantOneNameGetDifferentOnes() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let index = Int(request.target.suffix(1)) ?? 0
            return .file(Self.many[index], etag: "\"v1\"", for: request).gated(after: 50_000, gate)
        }
        let test = try TestManager { $0.maxConcurrentDownloads = 5 }
        let downloads = Self.many.indices.map { test.manager.download(server.url("/f.bin?\($0)")) }
        // All are in the middle of their files at one time.
        try await gate.reached(times: 5)
        gate.open()
        for (download, bytes) in zip(downloads, Self.many) {
            let file = try await download.ended().get()
            #expect(TestBytes.difference(try Data(contentsOf: file), from: bytes) == nil)
        }
        #expect(test.names.count == 5 && test.names.contains("f.bin"))
        #expect(test.names.allSatisfy { $0.hasPrefix("f") && $0.hasSuffix(".bin") })
    }

    @Test func downloadsOfTwoManagersThatWantOneNameGetDifferentOnes() async throws {
        let gate = try Gate()
        let server = try TestServer { request in
            let index = Int(request.target.suffix(1)) ?? 0
            return .file(Self.many[index], etag: "\"v1\"", for: request).gated(after: 50_000, gate)
        }
        let first = try TestManager()
        let second = try TestManager(folder: first.folder)
        let downloads = [first, second].enumerated().map { $1.manager.download(server.url("/f.bin?\($0)")) }
        try await gate.reached(times: 2)
        gate.open()
        for (download, bytes) in zip(downloads, Self.many) {
            let file = try await download.ended().get()
            #expect(TestBytes.difference(try Data(contentsOf: file), from: bytes) == nil)
        }
        #expect(first.names.count == 2)
    }

    @Test func aResumeFindsItsOwnPartialFile() async throws {
        let server = try TestServer { request in
            let index = Int(request.target.suffix(1)) ?? 0
            let right = Reply.file(Self.many[index], etag: "\"v\(index)\"", for: request)
            return request.visit == 1 ? right.stalled(after: 40_000) : right
        }
        let test = try TestManager()
        for index in 0..<3 { try await test.leavePartial(of: server.url("/f.bin?\(index)"), at: 40_000) }
        for index in [2, 0, 1] {
            let file = try await test.manager.download(server.url("/f.bin?\(index)")).ended().get()
            #expect(TestBytes.difference(try Data(contentsOf: file), from: Self.many[index]) == nil)
            #expect(server.requests.last?.range == .rest(from: 40_000))
        }
        #expect(test.names.count == 3)
    }

    @Test func oneURLTwiceIsOneDownload() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.content, for: $0).heldBack(by: gate) }
        let test = try TestManager()
        let both = [server.url("/f"), server.url("/./a/../f#x")].map { test.manager.download($0) }
        gate.open()
        for download in both { #expect(try await download.ended().get() == test.folder.url("f")) }
        #expect(server.requests.count == 1 && test.names == ["f"])
    }

    @Test func aNameThatTheCallerChoseTwiceIsRefusedTheSecondTime() async throws {
        let gate = try Gate()
        let server = try TestServer { .file(Self.content, for: $0).gated(after: 1_000, gate) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/a"))
        request.fileName = "f"
        let first = test.manager.download(request)
        try await gate.reached()
        request.url = server.url("/b")
        #expect(try await test.manager.download(request).ended().error?.code == .fileExists)
        gate.open()
        _ = try await first.ended().get()
        #expect(server.requests.map(\.path) == ["/a"] && test.names == ["f"])
    }
}
