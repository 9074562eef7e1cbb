import Foundation
import Spate
import TestSupport
import Testing

/// Redirects between https and http (ResumptionRules.md 52 and 53).
@Suite(.takesTurns, .enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
struct RedirectSchemeTests {
    private static let content = TestBytes.random(count: 300_000)
    private static let secrets = ["Authorization": "Bearer x", "Cookie": "a=b", "X-Mine": "m"]

    private let test: TestManager

    init() throws {
        let authority = try TestCertificates.authority
        test = try TestManager { $0.certificateAuthorities = authority }
    }

    private func server(tls: ServerTLS? = nil) throws -> TestServer {
        try TestServer(tls: tls) { .file(Self.content, etag: "\"v1\"", for: $0) }
    }

    /// A request with what must stay with its origin, and with what need not.
    private func request(_ url: URL) -> DownloadRequest {
        var request = DownloadRequest(url)
        request.headers = Self.secrets.merging(["X-Open": "o"]) { $1 }
        request.privateHeaders = ["x-mine"]
        return request
    }

    private func expectNoSecret(in requests: [ReceivedRequest]) {
        for request in requests {
            #expect(Self.secrets.keys.allSatisfy { request.fields[$0] == nil } && request.fields["X-Open"] == "o")
        }
    }

    private func expectTheFile() throws {
        #expect(TestBytes.difference(try test.bytes("f"), from: Self.content) == nil && test.names == ["f"])
    }

    @Test func anotherSchemeGetsNoSecretOnAResume() async throws {
        let other = try TestServer(tls: .good) { request in
            let right = Reply.file(Self.content, etag: "\"v1\"", for: request)
            return request.visit == 1 ? right.cut(after: 100_000) : right
        }
        let first = try TestServer { _ in .redirect(to: other.url("/g").absoluteString) }
        let url = first.url("/f", authority: "ann:hidden-word@127.0.0.1")
        _ = try await test.manager.download(request(url)).ended().get()
        try expectTheFile()
        #expect(other.requests.map(\.range) == [nil, .rest(from: 100_000)])
        expectNoSecret(in: other.requests)
        #expect(first.requests.allSatisfy { $0.fields["Authorization"] != nil })
    }

    @Test(arguments: [nil, ServerTLS.good]) func aRedirectFromHTTPToHTTPSIsFollowed(tls: ServerTLS?) async throws {
        let secure = try server(tls: .good)
        let first = try TestServer(tls: tls) { _ in .redirect(to: secure.url("/g").absoluteString) }
        _ = try await test.manager.download(first.url("/f")).ended().get()
        try expectTheFile()
    }

    @Test func aRedirectFromHTTPSToHTTPIsRefused() async throws {
        let plain = try server()
        let secure = try TestServer(tls: .good) { _ in .redirect(to: plain.url("/g").absoluteString) }
        let error = try #require(try await test.manager.download(secure.url("/f")).ended().error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile, "\(error)")
        #expect(plain.connectionCount == 0 && test.names.isEmpty)
    }

    @Test func anAllowedRedirectFromHTTPSToHTTPCarriesNoCredentials() async throws {
        let plain = try server()
        let secure = try TestServer(tls: .good) { _ in .redirect(to: plain.url("/g").absoluteString) }
        var request = request(secure.url("/f"))
        request.allowsInsecureRedirects = true
        _ = try await test.manager.download(request).ended().get()
        try expectTheFile()
        #expect(plain.requests.count == 1)
        expectNoSecret(in: plain.requests)
    }
}
