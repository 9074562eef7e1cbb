import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Redirects and credentials", 53: between https and http.
@Suite(.enabled(if: RedirectingTLSServer.isPossible, "a server with a certificate needs the openssl program"))
struct RedirectSchemeTests {
    private let content = TestBytes.random(count: 2_000)

    @Test func line53FromHTTPSToHTTPIsRefused() async throws {
        let plain = try TestServer { [content] in .file(content, for: $0) }
        let secure = try await RedirectingTLSServer(to: plain.url("/g"))
        let test = try TestManager { $0.certificateAuthorities = secure.certificate }
        let error = try #require(try await test.manager.download(secure.url).ended().error)
        #expect(error.code == .redirect && !error.isRetryable && !error.keptPartialFile, "\(error)")
        #expect(plain.connectionCount == 0 && test.names.isEmpty)
    }

    @Test func line53UnlessItIsAllowedAndThenWithoutCredentials() async throws {
        let plain = try TestServer { [content] in .file(content, for: $0) }
        let secure = try await RedirectingTLSServer(to: plain.url("/g"))
        let test = try TestManager { $0.certificateAuthorities = secure.certificate }
        var request = DownloadRequest(secure.url)
        request.allowsInsecureRedirects = true
        request.headers = ["Authorization": "Bearer x", "X-Open": "o"]
        _ = try await test.manager.download(request).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
        #expect(
            plain.requests.map { $0.fields["Authorization"] } == [nil] && plain.requests.first?.fields["X-Open"] == "o"
        )
    }

    @Test func line53FromHTTPToHTTPSIsFollowed() async throws {
        let secure = try await RedirectingTLSServer(serving: content)
        let plain = try TestServer { _ in .redirect(to: secure.url.absoluteString) }
        let test = try TestManager { $0.certificateAuthorities = secure.certificate }
        _ = try await test.manager.download(plain.url("/f")).ended().get()
        #expect(TestBytes.difference(try test.bytes("f"), from: content) == nil)
    }
}
