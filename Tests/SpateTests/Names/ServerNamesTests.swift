import Foundation
import SpateLocking
import SpateTestSupport
import Testing

@testable import Spate

/// Files that servers name.
@Suite(.takesTurns) struct ServerNamesTests {
    private static let bytes = Array("abc".utf8)
    private let test: TestManager
    private var manager: DownloadManager { test.manager }

    init() throws {
        test = try TestManager()
    }

    /// A server that names every file.
    private func server(_ disposition: String = "attachment; filename=\"report 2024.zip\"") throws -> TestServer {
        try TestServer { .file(Self.bytes, for: $0).addingField("Content-Disposition", disposition) }
    }

    private func request(_ url: URL, _ naming: DownloadNaming = .server) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.naming = naming
        return request
    }

    private func fetch(_ request: DownloadRequest) async throws -> String {
        try await manager.download(request).ended().get().lastPathComponent
    }

    @Test func theServersNameIsFoundAgainWithoutAskingIt() async throws {
        let server = try server()
        let request = request(server.url("/download?id=123"))
        #expect(try await fetch(request) == "report 2024.zip" && test.names == ["report 2024.zip"])
        let later = try TestManager(folder: test.folder).manager
        for manager in [manager, later] {
            #expect(manager.isDownloaded(request) && manager.isDownloaded(request.url))
            #expect(manager.fileURL(for: request) == test.folder.url("report 2024.zip"))
            #expect(manager.fileURL(for: request.url) == test.folder.url("report 2024.zip"))
            #expect(try manager.storedDownloads().map(\.file.lastPathComponent) == ["report 2024.zip"])
            #expect(manager.restore().isEmpty)
            #expect(try await manager.download(request).ended().get() == test.folder.url("report 2024.zip"))
        }
        // Also if many are enqueued at once, which reads the folder once.
        let many = (0..<40).map { _ in request }
        #expect(try await later.download(many)[0].ended().get() == test.folder.url("report 2024.zip"))
        #expect(server.requests.count == 1)
        try later.delete(request)
        #expect(test.names == [])
        #expect(try await fetch(request) == "report 2024.zip")
        try later.delete(request.url)
        #expect(test.names == [])
    }

    /// Whatever the first run made, and whatever the server calls the new version.
    @Test func theFileOfARequestIsWhereItsDownloadPutsIt() async throws {
        let server = try TestServer { request in
            let version = request.visit == 1 ? 1 : 2
            return .file([UInt8(version)], etag: "\"v\(version)\"", for: request)
                .addingField("Content-Disposition", "attachment; filename=report-\(version).bin")
        }
        let changes: [@Sendable (inout DownloadRequest) -> Void] = [
            { _ in }, { $0.checksForUpdate = true }, { $0.replacesExistingFile = true },
            { ($0.checksForUpdate, $0.replacesExistingFile) = (true, true) }, { $0.skipsExistingFile = true },
        ]
        let namings: [(DownloadNaming, DownloadNaming)] = [(.url, .server), (.server, .url), (.server, .server)]
        for (number, (first, second)) in namings.enumerated() {
            for (index, change) in changes.enumerated() {
                let url = server.url("/\(number)/\(index)/report.bin")
                let test = try TestManager()
                let former = try await test.manager.download(request(url, first)).ended().get()
                var later = request(url, second)
                change(&later)
                let told = test.manager.fileURL(for: later)
                #expect(try await test.manager.download(later).ended().get() == told, "\(first) \(second) \(index)")
                #expect(second == .url || told == former)
            }
        }
    }

    @Test(arguments: [
        (DownloadNaming.url, "/a.bin", "a.bin"), (.server, "/a.bin", "report 2024.zip"),
        (.automatic, "/a.bin", "a.bin"),
        (.automatic, "/a.bin?id=1", "report 2024.zip"), (.automatic, "/a", "report 2024.zip"), (.url, "/a?id=1", "a"),
        (.automatic, "/", "report 2024.zip"), (.automatic, "/.hidden", "report 2024.zip"),
    ])
    func theRequestSaysWhoNamesTheFile(naming: DownloadNaming, path: String, name: String) async throws {
        let server = try server()
        #expect(try await fetch(request(server.url(path), naming)) == name && test.names == [name])
    }

    @Test func aNameThatTheRequestChoseStays() async throws {
        let server = try server()
        var request = request(server.url("/a?id=1"))
        request.fileName = "mine"
        #expect(try await fetch(request) == "mine")
    }

    @Test func theURLThatTheServerLeadsToNamesTheFile() async throws {
        let server = try TestServer { request in
            switch request.path {
            case "/latest", "/latest.cgi": .redirect(to: "/files/tool-1.2.tar.gz")
            case "/plain": .redirect(to: "/files/tool")
            default: .file(Self.bytes, for: request)
            }
        }
        #expect(try await fetch(request(server.url("/latest"))) == "tool-1.2.tar.gz")
        #expect(try await fetch(request(server.url("/latest.cgi"))) == "latest.cgi")
        #expect(try await fetch(request(server.url("/plain"))) == "plain")
    }

    @Test(arguments: [
        "attachment; filename=\"../../etc/cron.d/x.sh\"", "attachment; filename=\"..\\\\..\\\\x.sh\"",
        "attachment; filename=\".x.sh\"", "attachment; filename=\"--x.sh\"", "attachment; filename=\"x.sh.part\"",
        "attachment; filename=\"/x.sh\"", "attachment; filename*=UTF-8''%2Fx.sh", "attachment; filename=\"C:\\\\x.sh\"",
    ])
    func theNameStaysInTheFolder(disposition: String) async throws {
        let server = try server(disposition)
        #expect(try await fetch(request(server.url("/a"))) == "x.sh" && test.names == ["x.sh"])
    }

    @Test(arguments: [
        "attachment; filename=\"..\"", "attachment; filename=\"\"", "attachment; filename=\"a/\"", "inline",
        "attachment; filename*=UTF-8''x%00.sh", "attachment; filename*=UTF-8''fdp%E2%80%AE.exe",
        "attachment; filename=\".part\u{7F}\"", "attachment; filename=\"...\"",
    ])
    func aNameThatCannotBeUsedIsIgnored(disposition: String) async throws {
        let server = try server(disposition)
        #expect(try await fetch(request(server.url("/a"))) == "a" && test.names == ["a"])
    }

    @Test func filesThatTheServerNamesAlikeAreToldApart() async throws {
        let server = try server()
        let requests = (1...3).map { request(server.url("/download?id=\($0)")) }
        let names = try await fetchAll(requests)
        #expect(Set(names).count == 3 && names.contains("report 2024.zip"))
        #expect(names.allSatisfy { $0.hasPrefix("report 2024") && $0.hasSuffix(".zip") })
        // Each is found under its own.
        for (request, name) in zip(requests, names) { #expect(manager.fileURL(for: request) == test.folder.url(name)) }
        #expect(try await fetchAll(requests) == names && server.requests.count == 3)
    }

    private func fetchAll(_ requests: [DownloadRequest]) async throws -> [String] {
        var names: [String] = []
        for download in manager.download(requests) {
            names.append(try await download.ended().get().lastPathComponent)
        }
        return names
    }

    @Test(arguments: [false, true]) func aStrangersFileOfThatNameStays(overwrites: Bool) async throws {
        try Data("mine".utf8).write(to: test.folder.url("report 2024.zip"))
        let server = try server()
        var request = request(server.url("/a"))
        request.replacesExistingFile = overwrites
        let name = try await fetch(request)
        #expect(name.hasPrefix("report 2024-") && name.hasSuffix(".zip"))
        #expect(try test.bytes("report 2024.zip") == Array("mine".utf8) && test.bytes(name) == Self.bytes)
    }

    /// The server may name the next version otherwise.
    @Test(arguments: [false, true]) func aNewVersionTakesThePlaceOfTheOldOne(overwrites: Bool) async throws {
        let server = try TestServer { request in
            .file(Array("version \(request.visit)".utf8), etag: "\"\(request.visit)\"", for: request)
                .addingField("Content-Disposition", "attachment; filename=v\(request.visit).txt")
        }
        var request = request(server.url("/a"))
        #expect(try await fetch(request) == "v1.txt")
        if overwrites { request.replacesExistingFile = true } else { request.checksForUpdate = true }
        #expect(try await fetch(request) == "v1.txt" && test.names == ["v1.txt"])
        #expect(try test.bytes("v1.txt") == Array("version 2".utf8))
        #expect(try TestManager(folder: test.folder).manager.isDownloaded(request))
    }

    @Test func aWrongFileThatTheServerNamedIsReplaced() async throws {
        let server = try server()
        var request = request(server.url("/a"))
        #expect(try await fetch(request) == "report 2024.zip")
        try test.write("x".utf8, to: "report 2024.zip", at: 0)
        request.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try await fetch(request) == "report 2024.zip" && test.names == ["report 2024.zip"])
        #expect(try test.bytes("report 2024.zip") == Self.bytes && server.requests.count == 2)
    }

    @Test func aPartHasTheURLsNameAndTheFileTheServers() async throws {
        let content = TestBytes.random(count: 200_000, seed: 1)
        let server = try TestServer { request in
            let reply = Reply.file(content, etag: "\"v\"", for: request)
            // The rest does not repeat the name.
            if request.visit > 1 { return reply }
            return reply.addingField("Content-Disposition", "attachment; filename=x.bin").cut(after: 150_000)
        }
        let first = try TestManager(folder: test.folder) { $0.retry.maxRetriesWithoutProgress = 0 }
        let request = request(server.url("/a?id=1"))
        #expect(try await first.manager.download(request).ended().error?.keptPartialFile == true)
        #expect(test.names == ["a.part"])
        let stored = try manager.storedDownloads()
        #expect(stored.map(\.file.lastPathComponent) == ["x.bin"] && stored.map(\.isFinished) == [false])
        #expect(manager.fileURL(for: request) == test.folder.url("x.bin"))
        let restored = try #require(manager.restore().first)
        #expect(try await restored.ended().get() == test.folder.url("x.bin"))
        #expect(try test.names == ["x.bin"] && test.bytes("x.bin") == content)
        #expect(server.requests.last?.range != nil)
    }

    /// A new version keeps the name of the file, whatever its response says.
    ///
    /// - Parameter wasNamed: whether the response of the first version gave a name.
    @Test(arguments: [false, true]) func aPartOfAnUpdateBelongsToItsFile(wasNamed: Bool) async throws {
        let (old, new) = (TestBytes.random(count: 2_000), TestBytes.random(count: 3_000, seed: 2))
        let server = try TestServer { request in
            let reply =
                request.visit == 1
                ? Reply.file(old, etag: "\"v1\"", for: request) : .file(new, etag: "\"v2\"", for: request)
            guard wasNamed || request.visit > 1 else { return reply }
            let name = request.visit == 1 ? "given-1.bin" : "given-2.bin"
            let named = reply.addingField("Content-Disposition", "attachment; filename=\(name)")
            return request.visit == 2 ? named.cut(after: 1_000) : named
        }
        let first = try TestManager(folder: test.folder) { $0.retry = .never }
        var request = request(server.url("/f.bin"))
        let file = try await first.manager.download(request).ended().get()
        #expect(file.lastPathComponent == (wasNamed ? "given-1.bin" : "f.bin"))
        request.checksForUpdate = true
        #expect(try await first.manager.download(request).ended().error?.keptPartialFile == true)
        let stored = try first.manager.storedDownloads()
        #expect(stored.map(\.isFinished) == [true, false] && stored.map(\.file) == [file, file])

        let restored = manager.restore()
        #expect(restored.map(\.url) == [request.url])
        #expect(try await restored.first?.ended().get() == file && restored.first?.update == .updated)
        #expect(try test.names == [file.lastPathComponent] && test.bytes(file.lastPathComponent) == new)
        #expect(server.requests.last?.range != nil)
    }

    @Test func theProgramNamesFiles() async throws {
        let server = try server()
        let asked = Locked<[String]>([])
        let named = try TestManager(folder: test.folder) { configuration in
            configuration.fileName = { request, response in
                asked.withLock { $0.append("\(request.url.lastPathComponent) \(response.statusCode)") }
                guard response.url.lastPathComponent != "other" else { return nil }
                return "../" + (response["Content-Type"] ?? "none") + "-" + request.url.lastPathComponent
            }
        }
        func fetch(_ request: DownloadRequest) async throws -> String {
            try await named.manager.download(request).ended().get().lastPathComponent
        }
        #expect(try await fetch(DownloadRequest(server.url("/a.bin"))) == "none-a.bin")
        #expect(try await fetch(DownloadRequest(server.url("/other"))) == "other")
        #expect(try await fetch(request(server.url("/other?2"))) == "report 2024.zip")
        #expect(try await fetch(DownloadRequest(server.url("/c"), fileName: "mine")) == "mine")
        #expect(asked.withLock { $0 } == ["a.bin 200", "other 200", "other 200"])
        // It is found without a request, also by a manager that names others.
        let other = try TestManager(folder: test.folder) { $0.fileName = { _, _ in "x" } }
        _ = try await other.manager.download(server.url("/a.bin")).ended().get()
        #expect(server.requests.count == 4 && other.manager.isDownloaded(server.url("/a.bin")))
    }

    @Test func aQueryTellsFilesOfOneNameApart() async throws {
        let server = try TestServer { .file(Self.bytes, for: $0) }
        let names = try await fetchAll(
            ["/list.csv?page=1", "/list.csv?page=2&x=%2F..", "/list.csv", "/list.csv?token=123", "/b/list.csv?page=1"]
                .map { DownloadRequest(server.url($0)) }
        )
        #expect(names.prefix(2) == ["list.csv", "list-page=2&x=_...csv"])
        #expect(names[4] == "list-page=1.csv")
        for name in names[2...3] { #expect(name.wholeMatch(of: /list-[0-9a-f]{8}\.csv/) != nil) }
        #expect(Set(names) == Set(test.names) && names.count == 5)
    }
}
