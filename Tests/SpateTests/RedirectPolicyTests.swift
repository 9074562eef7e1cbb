import Foundation
import SpateTestSupport
import Testing

@testable import Spate

/// `Configuration.redirects` and `usesServerMirrors`: where a server may lead.
@Suite(.takesTurns) struct RedirectPolicyTests {
    /// `/f` leads to `/g`, `/g` to another server, and that has the file.
    private let server: TestServer
    private let other: TestServer

    init() throws {
        let other = try TestServer { .file([1, 2], for: $0) }
        let target = other.url("/h").absoluteString
        server = try TestServer { .redirect(to: $0.path == "/f" ? "/g" : target) }
        self.other = other
    }

    @Test(
        arguments: [
            (.follow, nil, 2), (.follow(atMost: 2), nil, 2),
            (.follow(atMost: 1), "The server redirected more than once. ", 2),
            (.none, "The server redirected to ", 1), (.follow(atMost: -1), "The server redirected to ", 1),
            (.sameOrigin, "The server redirected to another origin, ", 2),
        ] as [(RedirectPolicy, String?, Int)]
    )
    func onlyWhatItAllowsIsFollowed(policy: RedirectPolicy, message: String?, requests: Int) async throws {
        let test = try TestManager { $0.redirects = policy }
        let result = try await test.manager.download(server.url("/f")).ended()
        #expect(server.requests.count == requests)
        #expect(other.requests.count == (message == nil ? 1 : 0))
        guard let message else { return #expect(try test.bytes("f") == [1, 2]) }
        let error = try #require(result.error)
        #expect(error.code == .redirect && !error.isRetryable && error.message.hasPrefix(message), "\(error.message)")
    }

    @Test(arguments: [true, false]) func theMirrorsThatAServerNamesMayBeLeftOut(isUsed: Bool) async throws {
        let bytes = TestBytes.random(count: 300_000)
        let mirror = try TestServer { .file(bytes, etag: "\"a\"", for: $0) }
        let link = "<\(mirror.url("/g").absoluteString)>; rel=duplicate"
        let server = try TestServer { request in
            let file = Reply.file(bytes, etag: "\"a\"", for: request).addingField("Link", link)
            return request.visit == 1 ? file.cut(after: 100_000) : .status(404)
        }
        let test = try TestManager { $0.usesServerMirrors = isUsed }
        let result = try await test.manager.download(server.url("/f")).ended()
        #expect(result.error?.statusCode == (isUsed ? nil : 404))
        #expect(mirror.requests.isEmpty != isUsed)
    }
}
