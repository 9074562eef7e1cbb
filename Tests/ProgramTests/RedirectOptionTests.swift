import Foundation
import SpateTestSupport
import Testing

/// `--max-redirs` and `--no-server-mirrors`.
@Suite(.takesTurns) struct RedirectOptionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func fewerRedirectsAreFollowed() async throws {
        let server = try TestServer { $0.path == "/f" ? .redirect(to: "/g") : .file([1, 2], for: $0) }
        let url = server.url("/f").absoluteString
        let run = try await folder.spate(["--max-redirs", "0", "--names", "url", url], code: 1)
        #expect(run.errorLines.first?.contains("\(url): The server redirected to \(server.url("/g"))") == true)
        #expect(server.requests.count == 1)
        try await folder.spate(["resume", "--max-redirs", "0"], code: 1)
        try await folder.spate(["resume", "--max-redirs", "1"])
        #expect(try folder.bytes("f") == [1, 2])
    }

    @Test(arguments: [[], ["--no-server-mirrors"]]) func mirrorsThatAServerNamesMayBeLeftOut(
        words: [String]
    ) async throws {
        let bytes = TestBytes.random(count: 300_000)
        let mirror = try TestServer { .file(bytes, etag: "\"a\"", for: $0) }
        let link = "<\(mirror.url("/g").absoluteString)>; rel=duplicate"
        let server = try TestServer { request in
            let file = Reply.file(bytes, etag: "\"a\"", for: request).addingField("Link", link)
            return request.visit == 1 ? file.cut(after: 100_000) : .status(404)
        }
        try await folder.spate(words + [server.url("/f").absoluteString], code: words.isEmpty ? 0 : 1)
        #expect(mirror.requests.isEmpty != words.isEmpty)
    }
}
