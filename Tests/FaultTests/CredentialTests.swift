import CSystem
import Foundation
import Spate
import TestSupport
import Testing

/// Which headers may be sent where, and what is never stored (ResumptionRules.md 52, 59 and 60).
@Suite(.mostlyWaits) struct CredentialTests {
    private static let content = TestBytes.random(count: 300_000)
    private static let secrets = [
        "Authorization": "Bearer x", "Cookie": "a=b", "Proxy-Authorization": "Basic x", "X-Api-Key": "k", "X-Mine": "m",
    ]

    /// A request with everything that must stay with its origin, and with what need not.
    private func request(_ url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.headers = Self.secrets.merging(["X-Open": "o"]) { $1 }
        request.privateHeaders = ["x-mine"]
        return request
    }

    private func sent(_ names: some Sequence<String>, in request: ReceivedRequest?) -> [String] {
        guard let request else { return ["no request"] }
        return names.filter { request.fields[$0] != nil }
    }

    @Test func anotherPortGetsNoSecret() async throws {
        let other = try TestServer { .file(Self.content, for: $0) }
        let server = try TestServer { _ in .redirect(to: other.url("/g").absoluteString) }
        let test = try TestManager()
        let url = server.url("/f", authority: "ann:hidden-word@127.0.0.1")
        _ = try await test.manager.download(request(url)).ended().get()
        #expect(
            sent(Self.secrets.keys, in: other.requests.first).isEmpty && other.requests.first?.fields["X-Open"] == "o"
        )
        #expect(sent(Self.secrets.keys, in: server.requests.first).count == Self.secrets.count)
    }

    @Test func anotherHostGetsNoSecret() async throws {
        let server = try TestServer { request in
            let port = request.fields["Host"]?.split(separator: ":").last ?? ""
            return request.path == "/f"
                ? .redirect(to: "http://localhost:\(port)/g") : .file(Self.content, for: request)
        }
        let test = try TestManager()
        _ = try await test.manager.download(request(server.url("/f", authority: "ann:word@127.0.0.1"))).ended().get()
        #expect(server.requests.dropFirst().first?.fields["Host"] == "localhost:\(server.port)")
        #expect(sent(Self.secrets.keys, in: server.requests.dropFirst().first).isEmpty)
    }

    @Test func headersOfTheConfigurationAreKeptToo() async throws {
        let other = try TestServer { .file(Self.content, for: $0) }
        let server = try TestServer { _ in .redirect(to: other.url("/g").absoluteString) }
        let test = try TestManager {
            $0.headers = Self.secrets.merging(["X-Open": "o"]) { $1 }
            $0.privateHeaders = ["X-MINE"]
        }
        _ = try await test.manager.download(server.url("/f")).ended().get()
        #expect(
            sent(Self.secrets.keys, in: other.requests.first).isEmpty && other.requests.first?.fields["X-Open"] == "o"
        )
    }

    @Test func aUserInAURLStaysWithinItsOriginToo() async throws {
        let other = try TestServer { .file(Self.content, for: $0) }
        let server = try TestServer { request in
            request.path == "/f" ? .redirect(to: "/g") : .redirect(to: other.url("/h").absoluteString)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f", authority: "ann:hidden-word@127.0.0.1")).ended().get()
        #expect(server.requests.map { $0.fields["Authorization"] } == [Self.basic, Self.basic])
        #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nX-Evil: 1", "a\u{0}b"])
    func aHeaderWithALineBreakIsRefusedBeforeSending(text: String) async throws {
        let server = try TestServer { .file(Self.content, for: $0) }
        let test = try TestManager()
        for headers in [["X-One": text], [text: "one"]] {
            var request = DownloadRequest(server.url("/f"))
            request.headers = headers
            #expect(try await test.manager.download(request).ended().error?.code == .badHeader)
            let other = try TestManager { $0.headers = headers }
            #expect(try await other.manager.download(server.url("/f")).ended().error?.code == .badHeader)
        }
        #expect(server.connectionCount == 0 && test.names.isEmpty)
    }

    @Test(arguments: ["ann%0d%0aX-Evil:%201", "ann:a%0Ab", "ann:a%00b"])
    func aUserWithALineBreakIsRefusedBeforeSending(user: String) async throws {
        let server = try TestServer { .file(Self.content, for: $0) }
        let test = try TestManager()
        let url = try #require(URL(string: "http://\(user)@127.0.0.1:\(server.port)/f"))
        #expect(try await test.manager.download(url).ended().error?.code == .badURL)
        #expect(server.connectionCount == 0 && test.names.isEmpty)
    }

    @Test func aLineBreakInAPathIsSentOnlyAsAnEscape() async throws {
        let server = try TestServer { .file(Self.content, for: $0) }
        let test = try TestManager()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/f\r\nX-Evil:1"))
        let end = try await test.manager.download(url).ended()
        #expect(server.requests.allSatisfy { $0.fields["X-Evil"] == nil && $0.target == "/f%0D%0AX-Evil:1" })
        #expect(end.error == nil && server.requests.count == 1)
    }

    @Test(arguments: ["/g\u{0}h", "/g\rX-Evil: 1", "/g\u{1}h", "/g\th"])
    func aLocationWithAControlCharacterIsNotRequested(location: String) async throws {
        let server = try TestServer { _ in .redirect(to: location) }
        let test = try TestManager { $0.retry = .never }
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .redirect || error.code == .badResponse, "\(error.code): \(error)")
        #expect(server.requests.map(\.target) == ["/f"] && test.names.isEmpty)
    }

    @Test(arguments: ["\"v1\"\r\nX-Evil: 1", "\"v1\r\nX-Evil: 1\"", "\"v1\"\n", "\"v\u{0}1\"", "\"v1\"\u{0}"])
    func aStoredValidatorWithALineBreakIsNeverSent(text: String) async throws {
        let story = try await FaultStory.leftBehind()
        let part = story.test.folder.path("f.part")
        #expect(try attributes(of: part)["user.spate.validator"] == "\"v1\"")
        #expect(setxattr(part, "user.spate.validator", text, text.utf8.count, 0) == 0)
        try await story.publishes(asking: [nil, .overlap])
        #expect(story.server.requests.allSatisfy { $0.fields["X-Evil"] == nil && $0.ifRange == nil })
    }

    /// `ann:hidden-word`
    private static let basic = "Basic YW5uOmhpZGRlbi13b3Jk"

    @Test func aUserInAURLIsUsedAndNotStored() async throws {
        let server = try TestServer { request in
            let right = Reply.file(Self.content, etag: "\"v1\"", for: request)
            guard request.fields["Authorization"] == Self.basic else { return .status(401) }
            return request.visit == 1 ? right.stalled(after: 100_000) : right
        }
        let test = try TestManager()
        let url = server.url("/f", authority: "ann:hidden-word@127.0.0.1")
        try await test.leavePartial(of: url, at: 100_000)
        try expectNoSecret(in: test, "f.part")
        #expect(try test.manager.storedDownloads().map(\.url) == [server.url("/f")])

        _ = try await test.manager.download(url).ended().get()
        #expect(server.requests.last?.range == .rest(from: 100_000))
        try expectNoSecret(in: test, "f")
    }

    private func expectNoSecret(in test: TestManager, _ name: String) throws {
        #expect(test.names == [name])
        let stored = try attributes(of: test.folder.path(name))
        #expect(stored["user.xdg.origin.url"]?.hasPrefix("http://127.0.0.1:") == true)
        #expect(stored.values.allSatisfy { !$0.contains("ann") && !$0.contains("hidden-word") })
    }

    /// What goes wrong, so that something must be said about it.
    private static let troubles: [(name: String, reply: @Sendable (ReceivedRequest) -> Reply)] = [
        ("refused", { _ in .status(401) }),
        ("missing", { _ in .status(404) }),
        ("a hang-up", { _ in .hangUp }),
        ("a cut", { .file(content, for: $0).cut(after: 10) }),
        ("no HTTP", { _ in .raw("hello") }),
        ("a loop", { _ in .redirect(to: "/f") }),
        ("a loop with the user", { .redirect(to: "http://ann:hidden-word@\($0.fields["Host"] ?? "")/f") }),
        ("another scheme", { _ in .redirect(to: "ftp://ann:hidden-word@127.0.0.1/f") }),
        ("no host", { _ in .redirect(to: "http://ann:hidden-word@/f") }),
        ("a signed URL", { $0.path == "/f" ? .redirect(to: "/g?signature=hidden-word") : .status(403) }),
        ("a signed loop", { $0.path == "/f" ? .redirect(to: "/g?k=hidden-word") : .redirect(to: "/g?k=hidden-word") }),
        ("a bad length", { _ in .bytes(["HTTP/1.1 200 OK", "Content-Length: x"]) }),
    ]

    @Test(arguments: troubles.indices) func noErrorContainsAPassword(index: Int) async throws {
        let server = try TestServer(Self.troubles[index].reply)
        let test = try TestManager { $0.retry = .never }
        let url = server.url("/f", authority: "ann:hidden-word@127.0.0.1")
        let error = try #require(try await test.manager.download(url).ended().error)
        let texts = [
            error.message, "\(error)", error.localizedDescription, String(reflecting: error),
            error.underlying.map { "\($0)" } ?? "",
        ]
        #expect(texts.allSatisfy { !$0.contains("hidden-word") && !$0.contains("ann:") }, "\(texts)")
    }
}
