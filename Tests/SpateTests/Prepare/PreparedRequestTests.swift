import Foundation
import Spate
import SpateTestSupport
import Testing

/// What an attempt sends if its request was prepared, and what of that stays where it is.
@Suite(.takesTurns) struct PreparedRequestTests {
    private let bytes = TestBytes.random(count: 300_000)

    @Test func aFileIsFetchedFromThePreparedURLAndKnownByItsOwn() async throws {
        let signed = try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0) }
        let server = try TestServer { _ in .status(403) }
        let target = signed.url("/hidden-path/x?sig=hidden-word", authority: "ann:hidden-word@localhost")
        let test = try TestManager { $0.prepares { request, _ in request.url = target } }
        let download = test.manager.download(server.url("/f?id=1"))
        let file = try await download.ended().get()
        #expect(try file.lastPathComponent == "f" && TestBytes.difference(try test.bytes("f"), from: bytes) == nil)
        #expect(server.requests.isEmpty && signed.requests.map(\.target) == ["/hidden-path/x?sig=hidden-word"])
        #expect(signed.requests.first?.fields["Authorization"] != nil)
        #expect(download.url == server.url("/f?id=1") && download.request.url == server.url("/f?id=1"))
        #expect(test.manager.isDownloaded(server.url("/f?id=1")) && !test.manager.isDownloaded(target))
        #expect(try attributes(of: file.path)["user.xdg.origin.url"] == server.url("/f?id=1").absoluteString)
    }

    @Test func whatPrepareSetsGoesToNoOtherOrigin() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { request in
            request.path == "/f"
                ? .redirect(to: "/inside") : .redirect(to: other.url("/elsewhere").absoluteString)
        }
        let test = try TestManager {
            $0.headers = ["X-All": "all", "X-Common": "common"]
            $0.prepares { request, _ in
                request.headers["X-Added"] = "added"
                request.headers["X-Changed"] = "after"
                request.headers["X-Common"] = "own"
                request.headers["X-Mine"] = request.headers["X-Mine"]
                request.headers["X-Removed"] = nil
                request.privateHeaders = []
            }
        }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-Kept": "kept", "X-Mine": "mine", "X-Changed": "before", "X-Removed": "removed"]
        request.privateHeaders = ["x-mine"]
        _ = try await test.manager.download(request).ended().get()
        for inside in server.requests {
            #expect(inside.fields["X-Added"] == "added" && inside.fields["X-Mine"] == "mine")
            #expect(inside.fields.values(of: "X-Changed") == ["after"] && inside.fields["X-Removed"] == nil)
        }
        let fields = try #require(other.requests.first).fields
        for name in ["X-Added", "X-Changed", "X-Common", "X-Mine"] { #expect(fields[name] == nil, "\(name)") }
        #expect(fields["X-Kept"] == "kept" && fields["X-All"] == "all")
    }

    /// Only what it returned is sent: the user and password of the enqueued URL are for that URL.
    @Test func credentialsOfTheEnqueuedURLStayThere() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager {
            $0.prepares { request, _ in
                request.url = request.url.path == "/away" ? other.url("/f") : server.url("/here")
            }
        }
        for path in ["/away", "/stay"] {
            _ = try await test.manager.download(server.url(path, authority: "ann:word@127.0.0.1")).ended().get()
        }
        #expect(other.requests.count == 1 && server.requests.map(\.path) == ["/here"])
        for request in other.requests + server.requests { #expect(request.fields["Authorization"] == nil) }
    }

    @Test func otherChangesAreIgnored() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let test = try TestManager {
            $0.prepares { request, _ in
                request.sha256 = String(repeating: "0", count: 64)
                (request.expectedBytes, request.maximumBytes) = (1, 1)
                (request.fileName, request.directory) = ("other", URL(filePath: "/nowhere"))
                (request.replacesExistingFile, request.connections) = (true, .exactly(4))
            }
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(test.names == ["f"])
    }

    @Test func aFinishedFileNeedsNoPreparation() async throws {
        let server = try TestServer { .file([1, 2, 3], for: $0) }
        let calls = Recorder<Int>()
        let test = try TestManager { $0.prepares { _, attempt in calls.append(attempt.number) } }
        var request = DownloadRequest(server.url("/f"))
        _ = try await test.manager.download(request).ended().get()
        _ = try await test.manager.download(request).ended().get()
        // This one is read in a slot.
        request.checksum = try Checksum("sha256:039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
        _ = try await test.manager.download(request).ended().get()
        #expect(calls.values == [1] && server.requests.count == 1)
    }

    @Test func prepareGetsTheRequestAsItWasEnqueuedEachTime() async throws {
        let server = try TestServer { _ in .status(500) }
        let heard = Recorder<(DownloadRequest, DownloadAttempt)>()
        let test = try TestManager {
            $0.retry.maxRetriesWithoutProgress = 1
            $0.prepares { request, attempt in
                heard.append((request, attempt))
                request.url = server.url("/other")
                request.headers["X-One"] = "changed"
            }
        }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["X-One": "1"]
        _ = try await test.manager.download(request).ended()
        #expect(heard.values.map(\.0.url) == [server.url("/f"), server.url("/f")])
        #expect(heard.values.map(\.0.headers) == [["X-One": "1"], ["X-One": "1"]])
        #expect(heard.values.map(\.1.number) == [1, 2])
        #expect(heard.values.map(\.1.previousError?.statusCode) == [nil, 500])
    }
}

extension DownloadManager.Configuration {
    /// Requests are prepared like this.
    mutating func prepares(
        _ change: @escaping @Sendable (inout DownloadRequest, DownloadAttempt) throws -> Void
    ) {
        prepare = { request, attempt in
            var request = request
            try change(&request, attempt)
            return request
        }
    }
}
