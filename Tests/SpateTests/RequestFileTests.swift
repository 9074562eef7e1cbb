import Foundation
import SpateFilePaths
import SpateHTTPSyntax
import SpatePartialFiles
import SpateTestSupport
import Testing

@testable import Spate

/// Files whose folders and names requests chose.
@Suite(.takesTurns) struct RequestFileTests {
    private let server: TestServer
    private let test: TestManager
    private let elsewhere: TemporaryFolder

    init() throws {
        server = try TestServer { .file([1, 2, 3], for: $0) }
        test = try TestManager()
        elsewhere = try TemporaryFolder()
    }

    private func request(named name: String? = nil, in folder: URL? = nil) -> DownloadRequest {
        var request = DownloadRequest(server.url("/f"))
        (request.fileName, request.directory) = (name, folder)
        return request
    }

    private func fetch(_ request: DownloadRequest) async throws -> URL {
        try await test.manager.download(request).ended().get()
    }

    private var namesElsewhere: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).sorted() }
    }

    @Test func whatARequestLeadsToIsFoundByItAndByItsURL() async throws {
        let manager = test.manager
        for request in [request(named: "named"), request(in: elsewhere.url), request(named: "b", in: elsewhere.url)] {
            #expect(!manager.isDownloaded(request))
            let file = try await fetch(request)
            #expect(manager.isDownloaded(request) && manager.fileURL(for: request) == file)
            #expect(manager.isDownloaded(request.url))
            #expect(!manager.isDownloaded(self.request()) && manager.fileURL(for: self.request()) != file)
            // Another manager has not seen the request, and knows no folders but its own.
            let other = try TestManager(folder: test.folder).manager
            #expect(other.isDownloaded(request) && other.isDownloaded(request.url))
            #expect(other.fileURL(for: request.url).deletingLastPathComponent().path == test.folder.path)
        }
        #expect(manager.fileURL(for: server.url("/f")) == test.folder.url("named"))
        let plain = try await fetch(request())
        #expect(manager.fileURL(for: server.url("/f")) == plain)
    }

    @Test func aDownloadDeletesTheFileOfItsRequestAlsoAfterTheManager() async throws {
        let requests = ["one", "two"].map { name in
            var request = DownloadRequest(server.url("/\(name)"))
            (request.fileName, request.directory) = ("\(name).txt", elsewhere.url)
            return request
        }
        var manager: DownloadManager? = DownloadManager(configuration: .init(directory: test.folder.url))
        let downloads = try #require(manager?.download(requests))
        #expect(downloads.map(\.request.fileName) == ["one.txt", "two.txt"])
        for download in downloads { _ = try await download.ended().get() }
        // Refused, it has no file of its own.
        let refused = try #require(manager?.download(request(named: "a/b")))
        #expect(refused.result?.error?.code == .badFileName)
        try refused.delete()
        #expect(try namesElsewhere == ["one.txt", "two.txt"])
        try downloads[0].delete()
        #expect(try namesElsewhere == ["two.txt"])
        manager = nil
        try await eventually("the manager has gone") { downloads[1].manager == nil }
        try downloads[1].delete()
        try downloads[1].delete()
        #expect(try namesElsewhere == [])
    }

    @Test func aFileOfASizeThatTheRequestDoesNotAcceptIsNotItsOwn() async throws {
        _ = try await fetch(request())
        let sizes: [(expected: Int64?, maximum: Int64?, isAccepted: Bool)] = [
            (3, nil, true), (nil, 3, true), (3, 3, true), (2, nil, false), (4, nil, false), (nil, 2, false),
            (3, 2, false),
        ]
        for size in sizes {
            var request = request()
            (request.expectedBytes, request.maximumBytes) = (size.expected, size.maximum)
            #expect(test.manager.isDownloaded(request) == size.isAccepted, "\(size)")
        }
    }

    @Test func deletingARequestRemovesItsFileAndDeletingAURLAllThatCanBeKnown() async throws {
        let earlier = try TestManager(folder: test.folder)
        _ = try await earlier.manager.download(request(named: "earlier")).ended().get()
        let named = request(named: "named", in: elsewhere.url)
        for request in [request(), request(named: "named"), request(in: elsewhere.url), named] {
            _ = try await fetch(request)
        }
        _ = try await test.manager.download(server.url("/g")).ended().get()
        try Data("mine".utf8).write(to: elsewhere.url("mine"))
        try test.manager.delete(named)
        #expect(try test.names == ["earlier", "f", "g", "named"] && namesElsewhere == ["f", "mine"])
        for _ in 0..<2 { try test.manager.delete(request()) }
        #expect(try test.names == ["earlier", "g", "named"] && namesElsewhere == ["f", "mine"])
        #expect(throws: DownloadError.self) { try test.manager.delete(request(named: "../f")) }
        try test.manager.delete(server.url("/f"))
        #expect(try test.names == ["g"] && namesElsewhere == ["mine"])
        #expect(!test.manager.isDownloaded(server.url("/f")))
    }

    @Test func deletingARequestEndsTheDownloadThatFetchesItAndNoOther() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 2_000), for: $0).stalled(after: 1_000) }
        let heard = Recorder<Int64>()
        var named = DownloadRequest(server.url("/f"))
        named.fileName = "named"
        let download = test.manager.download(named, progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 1_000 })
        try test.manager.delete(DownloadRequest(server.url("/f")))
        #expect(!download.state.isTerminal && test.names == ["named.part"])
        try test.manager.delete(named)
        #expect(try await download.ended().error?.code == .cancelled)
        #expect(test.names == [])
    }

    /// - Parameters:
    ///   - running: the name and the naming of the download.
    ///   - deleted: those of the request. Its file has the same name, until a response gives another.
    @Test(
        arguments: [
            (running: (nil, .url), deleted: ("f", .url)), (running: ("f", .url), deleted: (nil, .url)),
            (running: (nil, .server), deleted: (nil, .url)), (running: (nil, .url), deleted: (nil, .automatic)),
        ] as [(running: (String?, DownloadNaming), deleted: (String?, DownloadNaming))]
    )
    func deletingARequestEndsTheDownloadWhosePartItRemoves(
        running: (String?, DownloadNaming),
        deleted: (String?, DownloadNaming)
    ) async throws {
        let server = try TestServer { .file(TestBytes.random(count: 2_000), for: $0).stalled(after: 1_000) }
        let heard = Recorder<Int64>()
        let requests = [running, deleted].map { name, naming in
            var request = DownloadRequest(server.url("/f"), fileName: name)
            request.naming = naming
            return request
        }
        let download = test.manager.download(requests[0], progress: { heard.append($0.receivedBytes) })
        try await heard.wait(until: { $0.last == 1_000 })
        #expect(test.names == ["f.part"])
        try test.manager.delete(requests[1])
        #expect(download.result?.error?.code == .cancelled)
        download.cancel()
        #expect(test.names == [])
    }

    /// Another download has the URL's name, so this one never had the file that is deleted.
    @Test func deletingARequestEndsNoDownloadThatHasAnotherName() async throws {
        let server = try TestServer { .file(TestBytes.random(count: 2_000), for: $0).stalled(after: 1_000) }
        let first = test.manager.download(server.url("/a/f"))
        let second = test.manager.download(server.url("/b/f"))
        try await eventually("both have begun") {
            [first, second].allSatisfy { $0.progress.receivedBytes == 1_000 }
        }
        try test.manager.delete(DownloadRequest(second.url, fileName: "f"))
        #expect(!first.state.isTerminal && !second.state.isTerminal && test.names.count == 2)
        test.manager.cancelAll()
    }

    /// A program may remove what it finds there.
    @Test func anInvalidURLLeadsToANameInTheFolder() throws {
        for text in ["ftp://host/f", "ftp://host/..", "ftp://host/a%2F..%2F..%2Ff", "ftp://host/", "ftp://host", "x:"] {
            let url = try #require(URL(string: text))
            for file in [test.manager.fileURL(for: url), test.manager.fileURL(for: DownloadRequest(url))] {
                #expect(file.standardizedFileURL.deletingLastPathComponent().path == test.folder.path, "\(text)")
                #expect(![".", "..", ""].contains(file.lastPathComponent), "\(text)")
            }
        }
        #expect(test.manager.fileURL(for: try #require(URL(string: "ftp://host/a/f.zip"))) == test.folder.url("f.zip"))
    }

    @Test func theLatestPlacesAreRemembered() throws {
        let key = try ValidRequest.url(server.url("/f"))
        let other = try ValidRequest.url(server.url("/g"))
        var places = ChosenPlaces(limit: 3)
        let claims = { (url: HTTPURL) in (0..<4).map { FileClaim(url, in: "/\($0)", naming: .derived) } }
        let (first, second) = (claims(key), claims(other))
        for claim in [first[0], first[1], first[1], first[0], second[2]] { places.insert(claim) }
        #expect(places[key] == [first[0], first[1]])
        places.insert(second[3])
        #expect(places[key] == [first[1]] && places[other] == [second[2], second[3]])
        for claim in second { places.insert(claim) }
        #expect(places[key] == [] && places[other] == Array(second[1...]))
    }
}
