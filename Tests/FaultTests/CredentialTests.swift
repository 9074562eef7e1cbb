import Foundation
import Spate
import SpateTestSupport
import Testing

/// Which headers may be sent where, and what is never stored (ResumptionRules.md 52, 53, 59 and 60). Which headers are
/// secrets is in RedirectRulesTests, and in the simulation no secret goes to another host.
@Suite(.mostlyWaits) struct CredentialTests {
    private static let secrets = [
        "Authorization": "Bearer x", "Cookie": "a=b", "Proxy-Authorization": "Basic x", "X-Api-Key": "k", "X-Mine": "m",
    ]
    private static let headers = secrets.merging(["X-Open": "o"]) { $1 }
    /// `ann:hidden-word`
    private static let basic = "Basic YW5uOmhpZGRlbi13b3Jk"

    private func secrets(in request: ReceivedRequest?) throws -> Int {
        let fields = try #require(request).fields
        #expect(fields["X-Open"] == "o")
        return Self.secrets.keys.count { fields[$0] != nil }
    }

    @Test(arguments: [false, true]) func anotherPortGetsNoSecret(areOfTheConfiguration: Bool) async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { _ in .redirect(to: other.url("/g").absoluteString) }
        let test = try TestManager {
            if areOfTheConfiguration { ($0.headers, $0.privateHeaders) = (Self.headers, ["X-MINE"]) }
        }
        var request = DownloadRequest(server.url("/f"))
        if !areOfTheConfiguration { (request.headers, request.privateHeaders) = (Self.headers, ["x-mine"]) }
        _ = try await test.manager.download(request).ended().get()
        #expect(try secrets(in: server.requests.first) == Self.secrets.count)
        #expect(try secrets(in: other.requests.first) == 0)
    }

    @Test func aUserInAURLStaysWithinItsOriginToo() async throws {
        let other = try TestServer { .file([1], for: $0) }
        let server = try TestServer { request in
            request.path == "/f" ? .redirect(to: "/g") : .redirect(to: other.url("/h").absoluteString)
        }
        let test = try TestManager()
        _ = try await test.manager.download(server.url("/f", authority: "ann:hidden-word@127.0.0.1")).ended().get()
        #expect(server.requests.map { $0.fields["Authorization"] } == [Self.basic, Self.basic])
        #expect(other.requests.map { $0.fields["Authorization"] } == [nil])
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func aRedirectFromHTTPSToHTTPIsRefusedUnlessAllowedAndCarriesNoSecret() async throws {
        let plain = try TestServer { .file([1], for: $0) }
        let secure = try TestServer(tls: .good) { _ in .redirect(to: plain.url("/g").absoluteString) }
        let authority = try TestCertificates.authority
        let test = try TestManager { $0.certificateAuthorities = authority }
        var request = DownloadRequest(secure.url("/f"))
        (request.headers, request.privateHeaders) = (Self.headers, ["x-mine"])
        let error = try #require(try await test.manager.download(request).ended().error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile, "\(error)")
        #expect(plain.connectionCount == 0 && test.names.isEmpty)
        request.allowsInsecureRedirects = true
        _ = try await test.manager.download(request).ended().get()
        #expect(try secrets(in: plain.requests.first) == 0 && plain.requests.count == 1)
    }

    @Test(arguments: [["X-One": "a\r\nX-Evil: 1"], ["a\u{0}b": "one"]])
    func aHeaderWithALineBreakIsRefusedBeforeSending(headers: [String: String]) async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        var request = DownloadRequest(server.url("/f"))
        request.headers = headers
        #expect(try await test.manager.download(request).ended().error?.code == .badHeader)
        let other = try TestManager { $0.headers = headers }
        #expect(try await other.manager.download(server.url("/f")).ended().error?.code == .badHeader)
        let user = try #require(URL(string: "http://ann%0d%0aX-Evil:%201@127.0.0.1:\(server.port)/f"))
        #expect(try await test.manager.download(user).ended().error?.code == .badURL)
        #expect(server.connectionCount == 0 && test.names.isEmpty)
    }

    @Test func aLineBreakInAPathIsSentOnlyAsAnEscape() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/f\r\nX-Evil:1"))
        _ = try await test.manager.download(url).ended().get()
        #expect(server.requests.map(\.target) == ["/f%0D%0AX-Evil:1"] && server.requests[0].fields["X-Evil"] == nil)
    }

    @Test func aUserInAURLIsUsedAndNotStored() async throws {
        let story = try FaultStory { request, right in
            guard request.fields["Authorization"] == Self.basic else { return .status(401) }
            return request.visit == 1 ? right.stalled(after: FaultStory.held) : right
        }
        let (server, test) = (story.server, story.test)
        let url = server.url("/f", authority: "ann:hidden-word@127.0.0.1")
        try await test.leavePartial(of: url, at: Int64(FaultStory.held))
        try expectNoSecret(in: test, "f.part")
        #expect(try test.manager.storedDownloads().map(\.url) == [server.url("/f")])
        _ = try await test.manager.download(url).ended().get()
        #expect(server.requests.last?.range == .rest)
        try expectNoSecret(in: test, "f")
    }

    private func expectNoSecret(in test: TestManager, _ name: String) throws {
        #expect(test.names == [name])
        let stored = try attributes(of: test.folder.path(name))
        #expect(stored["user.xdg.origin.url"]?.hasPrefix("http://127.0.0.1:") == true)
        #expect(stored.values.allSatisfy { !$0.contains("ann") && !$0.contains("hidden-word") })
    }

    /// What goes wrong, so that something must be said about it.
    private static let troubles: [@Sendable (ReceivedRequest) -> Reply] = [
        { _ in .status(401) },
        { _ in .hangUp },
        { .file(FaultStory.file, for: $0).cut(after: 10) },
        { _ in .raw("hello") },
        { _ in .redirect(to: "/f") },
        { .redirect(to: "http://ann:hidden-word@\($0.fields["Host"] ?? "")/f") },
        { _ in .redirect(to: "ftp://ann:hidden-word@127.0.0.1/f") },
        { _ in .redirect(to: "http://ann:hidden-word@/f") },
        { $0.path == "/f" ? .redirect(to: "/g?signature=hidden-word") : .status(403) },
        { $0.path == "/f" ? .redirect(to: "/g?k=hidden-word") : .redirect(to: "/g?k=hidden-word") },
        { _ in .bytes(["HTTP/1.1 200 OK", "Content-Length: x"]) },
    ]

    @Test(arguments: troubles.indices) func noErrorContainsAPassword(index: Int) async throws {
        let server = try TestServer(Self.troubles[index])
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
