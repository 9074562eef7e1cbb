import CSystem
import Foundation
import Spate
import TestSupport
import Testing

/// What an attempt sends if its request was prepared, and what of that stays where it is.
@Suite(.takesTurns) struct PreparedRequestTests {
    private let bytes = TestBytes.random(count: 300_000)

    /// A manager whose requests are prepared like this, with the number of the call.
    private func manager(
        _ change: (inout DownloadManager.Configuration) -> Void = { _ in },
        preparing prepare: @escaping @Sendable (inout DownloadRequest, DownloadAttempt) throws -> Void
    ) throws -> TestManager {
        try TestManager { configuration in
            configuration.prepare = { request, attempt in
                var request = request
                try prepare(&request, attempt)
                return request
            }
            change(&configuration)
        }
    }

    @Test func aFileIsFetchedFromThePreparedURLAndKnownByItsOwn() async throws {
        let signed = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0) }
        let server = try TestServer { _ in .status(403) }
        let target = signed.url("/hidden-path/x?sig=hidden-word", authority: "ann:hidden-word@localhost")
        let test = try manager { request, _ in request.url = target }
        let download = test.manager.download(server.url("/f?id=1"))
        let file = try await download.ended().get()
        #expect(try file.lastPathComponent == "f" && TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.isEmpty && signed.requests.map(\.target) == ["/hidden-path/x?sig=hidden-word"])
        #expect(signed.requests.first?.fields["Authorization"] != nil)
        #expect(download.url == server.url("/f?id=1") && download.request.url == server.url("/f?id=1"))
        #expect(test.manager.isDownloaded(server.url("/f?id=1")) && !test.manager.isDownloaded(target))
        #expect(try origin(of: file.path) == server.url("/f?id=1").absoluteString)
    }

    @Test func anotherSignatureGoesOnAtTheBytesOnDisk() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.target.hasSuffix("?sig=1") ? reply.cut(after: 100_000) : reply
        }
        let partial = Recorder<String?>()
        let test = try manager { request, attempt in
            request.url = server.url("/signed?sig=\(attempt.number)")
        }
        let folder = test.folder
        let download = test.manager.download(
            server.url("/f"),
            progress: { _ in partial.append(try? origin(of: folder.path("f.part"))) }
        )
        _ = try await download.ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.map(\.target) == ["/signed?sig=1", "/signed?sig=2"])
        #expect(server.requests.last?.range == .rest(from: 100_000) && server.requests.last?.ifRange == "\"v1\"")
        let origins = Set(partial.values.compactMap(\.self))
        #expect(origins.isSubset(of: [server.url("/f").absoluteString]))
    }

    @Test func headersAreThoseThatWereReturned() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try manager({ $0.headers = ["X-All": "all"] }) { request, _ in
            request.headers["X-Added"] = "added"
            request.headers["X-Changed"] = "after"
            request.headers["X-Removed"] = nil
        }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-Kept": "kept", "X-Changed": "before", "X-Removed": "removed"]
        let download = test.manager.download(request)
        _ = try await download.ended().get()
        let fields = try #require(server.requests.first).fields
        #expect(fields["X-Kept"] == "kept" && fields["X-Added"] == "added" && fields["X-All"] == "all")
        #expect(fields.values(of: "X-Changed") == ["after"] && fields["X-Removed"] == nil)
        #expect(download.request.headers == request.headers)
    }

    @Test func whatPrepareSetsGoesToNoOtherOrigin() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { request in
            request.path == "/f"
                ? .redirect(to: "/inside") : .redirect(to: other.url("/elsewhere").absoluteString)
        }
        let test = try manager({ $0.headers = ["X-All": "all", "X-Common": "common"] }) { request, _ in
            request.headers["X-Added"] = "added"
            request.headers["x-changed"] = "after"
            request.headers["X-Common"] = "own"
            request.headers["X-Mine"] = request.headers["X-Mine"]
            request.privateHeaders = []
        }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-Kept": "kept", "X-Mine": "mine"]
        request.privateHeaders = ["x-mine"]
        _ = try await test.manager.download(request).ended().get()
        for inside in server.requests {
            #expect(inside.fields["X-Added"] == "added" && inside.fields["X-Mine"] == "mine")
        }
        let fields = try #require(other.requests.first).fields
        for name in ["X-Added", "X-Changed", "X-Common", "X-Mine"] { #expect(fields[name] == nil, "\(name)") }
        #expect(fields["X-Kept"] == "kept" && fields["X-All"] == "all")
    }

    /// Only what it returned is sent: the user and password of the enqueued URL are for that URL.
    @Test func credentialsOfTheEnqueuedURLStayThere() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { .file([1], for: $0) }
        let test = try manager { request, _ in
            request.url = request.url.path == "/away" ? other.url("/f") : server.url("/here")
        }
        for path in ["/away", "/stay"] {
            _ = try await test.manager.download(server.url(path, authority: "ann:word@127.0.0.1")).ended().get()
        }
        #expect(other.requests.count == 1 && server.requests.map(\.path) == ["/here"])
        for request in other.requests + server.requests { #expect(request.fields["Authorization"] == nil) }
    }

    @Test func otherChangesAreIgnored() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try manager { request, _ in
            request.sha256 = String(repeating: "0", count: 64)
            (request.expectedBytes, request.maximumBytes) = (1, 1)
            (request.fileName, request.directory) = ("other", URL(filePath: "/nowhere"))
            (request.replacesExistingFile, request.connections) = (true, .exactly(4))
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(test.names == ["f"])
    }

    @Test func aFinishedFileNeedsNoPreparation() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let calls = Recorder<Int>()
        let test = try manager { _, attempt in calls.append(attempt.number) }
        var request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.download(request).ended().get()
        _ = try await test.manager.download(request).ended().get()
        // This one is read in a slot.
        request.checksum = try Checksum("sha256:039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        _ = try await test.manager.download(request).ended().get()
        #expect(calls.values == [1] && server.requests.count == 1)
    }

    @Test func helpersAskWhereTheFirstConnectionDoes() async throws {
        let content = TestBytes.random(count: 6 << 20)
        let file = TestFile(content, etag: "\"v1\"", lastModified: Date(timeIntervalSince1970: 1_700_000_000))
        let rates = ConnectionRates(bytesPerSecond: 8 << 20)
        let server = try TestServer { .file(file, for: $0).paced(by: rates, for: $0) }
        let calls = Recorder<Int>()
        let test = try manager({ $0.connectionsPerDownload = .exactly(4) }) { request, attempt in
            calls.append(attempt.number)
            request.url = server.url("/signed?sig=1")
            request.headers["X-Fresh"] = "yes"
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        #expect(server.requests.count > 1 && calls.values == [1])
        for request in server.requests {
            #expect(request.target == "/signed?sig=1" && request.fields["X-Fresh"] == "yes")
        }
    }

    @Test func prepareGetsTheRequestAsItWasEnqueuedEachTime() async throws {
        let server = try TestServer { _ in .status(500) }
        let heard = Recorder<(DownloadRequest, DownloadAttempt)>()
        let test = try manager({ $0.retry.maxRetriesWithoutProgress = 1 }) { request, attempt in
            heard.append((request, attempt))
            request.url = server.url("/other")
            request.headers["X-One"] = "changed"
        }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-One": "1"]
        _ = try await test.manager.download(request).ended()
        #expect(heard.values.map(\.0.url) == [server.url("/f"), server.url("/f")])
        #expect(heard.values.map(\.0.headers) == [["X-One": "1"], ["X-One": "1"]])
        #expect(heard.values.map(\.1.number) == [1, 2])
        #expect(heard.values.map(\.1.previousError?.statusCode) == [nil, 500])
    }

    @Test func aRestoredDownloadIsPreparedToo() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.fields["X-Fresh"] == nil ? reply.cut(after: 1000) : reply
        }
        let first = try TestManager { $0.retry = .never }
        _ = try await first.manager.download(server.url("/f")).ended()
        let test = try TestManager(folder: first.folder) { configuration in
            configuration.prepare = { request, _ in
                var request = request
                request.headers["X-Fresh"] = "\(request.url.path)"
                return request
            }
        }
        let restored = try #require(test.manager.restore().first)
        _ = try await restored.ended().get()
        #expect(server.requests.last?.fields["X-Fresh"] == "/f" && server.requests.last?.range == .rest(from: 1_000))
    }
}

/// The URL that a file on disk says it came from.
private func origin(of path: String) throws -> String {
    var text = [UInt8](repeating: 0, count: 4_096)
    let count = getxattr(path, "user.xdg.origin.url", &text, text.count)
    guard count >= 0 else { throw SystemError("getxattr of \(path)") }
    return String(decoding: text[..<count], as: UTF8.self)
}
