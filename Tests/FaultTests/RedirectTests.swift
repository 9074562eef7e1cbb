import Foundation
import Spate
import TestSupport
import Testing

/// Where a redirect leads (ResumptionRules.md 51, 54, 55 and 58).
@Suite(.takesTurns) struct RedirectTests {
    private static let content = TestBytes.random(count: 2_000)

    /// How a download of `/a/b/f?q=1` ends when that redirects to `location`, and what was asked on the way.
    private func follow(
        _ location: @escaping @Sendable (ReceivedRequest) -> String
    ) async throws -> (end: Result<URL, DownloadError>, server: TestServer, test: TestManager) {
        let server = try TestServer { request in
            request.target == "/a/b/f?q=1" ? .redirect(to: location(request)) : .file(Self.content, for: request)
        }
        let test = try TestManager()
        let told = Recorder<Bool>()
        let download = test.manager.download(server.url("/a/b/f?q=1"), completion: { told.append($0.error == nil) })
        let end = try await download.ended()
        try await told.wait(forCount: 1)
        return (end, server, test)
    }

    /// Resolving is tested with all examples of RFC 3986 where it is done: these are one of each kind.
    private static let references: [(String, String)] = [
        ("g", "/a/b/g"), ("/g", "/g"), ("?y", "/a/b/f?y"), ("#s", "/a/b/f?q=1"), ("g?y#s", "/a/b/g?y"), ("..", "/a/"),
        ("../../../g", "/g"), ("//127.0.0.1:PORT/g", "/g"), ("http://127.0.0.1:PORT/g", "/g"),
        ("HTTP://127.0.0.1:PORT", "/"), ("g%2Fh", "/a/b/g%2Fh"), ("g h", "/a/b/g%20h"),
    ]

    @Test(arguments: references) func aRelativeTargetIsResolved(reference: String, target: String) async throws {
        let story = try await follow { request in
            let port = request.fields["Host"]?.split(separator: ":").last ?? ""
            return reference.replacingOccurrences(of: "PORT", with: port)
        }
        if target == "/a/b/f?q=1" {
            #expect(story.end.error?.code == .redirect && story.server.requests.count == 1)
        } else {
            #expect(story.server.requests.map(\.target) == ["/a/b/f?q=1", target])
            #expect(TestBytes.difference(try story.test.bytes("f"), from: Self.content) == nil)
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1:PORT/g", "file:///etc/passwd", "javascript:alert(1)", "data:,hello",
        "gopher://127.0.0.1:PORT/_",
        "mailto:a@b", "g:h",
    ])
    func anyOtherSchemeIsRefusedBeforeAnyRequest(location: String) async throws {
        let story = try await follow { request in
            let port = request.fields["Host"]?.split(separator: ":").last ?? ""
            return location.replacingOccurrences(of: "PORT", with: port)
        }
        let error = try #require(story.end.error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile && error.statusCode == 302)
        #expect(story.server.requests.count == 1 && story.server.connectionCount == 1 && story.test.names.isEmpty)
    }

    @Test(arguments: [1, 2, 5]) func aLoopIsRefused(length: Int) async throws {
        let server = try TestServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return .redirect(to: "/\((number + 1) % length)")
        }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/0")).ended().error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile)
        #expect(server.requests.count == length && test.names.isEmpty)
    }

    @Test(arguments: [20, 21]) func twentyHopsAreFollowedAndNoMore(hops: Int) async throws {
        let server = try TestServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < hops ? .redirect(to: "/\(number + 1)") : .file(Self.content, for: request)
        }
        let test = try TestManager()
        let end = try await test.manager.download(server.url("/0")).ended()
        #expect(end.error?.code == (hops > 20 ? .redirect : nil) && server.requests.count == 21)
        #expect(test.names == (hops > 20 ? [] : ["0"]))
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func everyKindOfRedirectIsFollowed(status: Int) async throws {
        let server = try TestServer { request in
            request.path == "/f" ? .redirect(to: "/g", status: status) : .file(Self.content, for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(server.requests.map { "\($0.method) \($0.path)" } == ["GET /f", "GET /g"])
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.content) == nil)
    }

    @Test(arguments: [
        "", "http://", "http:///g", "//", "http://[::1", "http://host:port/", "http://host:99999/", "http://a b/",
        "http://user:p%0d%0aX@127.0.0.1/", "http://ho\u{7F}st/",
    ])
    func aLocationThatDoesNotParseIsRefused(location: String) async throws {
        let story = try await follow { _ in location }
        let error = try #require(story.end.error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile)
        #expect(story.server.requests.count == 1 && story.test.names.isEmpty)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectToNowhereIsRefused(status: Int) async throws {
        let server = try TestServer { _ in .status(status, body: "over there") }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .redirect && error.statusCode == status && !error.isRetryable)
        #expect(server.requests.count == 1 && test.names.isEmpty)
    }

    @Test(arguments: [300, 304, 305, 306]) func aStatusThatIsNotARedirectIsNotFollowed(status: Int) async throws {
        let server = try TestServer { _ in .redirect(to: "/g", status: status) }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .badResponse && server.requests.count == 1 && test.names.isEmpty)
    }
}
