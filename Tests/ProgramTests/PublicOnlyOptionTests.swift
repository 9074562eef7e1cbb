import Foundation
import SpateTestSupport
import Testing

/// `--public-only`.
@Suite(.takesTurns) struct PublicOnlyOptionTests {
    private let folder: TemporaryFolder
    private let server: TestServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TestServer { .file([1, 2], for: $0) }
    }

    @Test func thisMachineIsNotConnected() async throws {
        let url = server.url("/f").absoluteString
        let run = try await folder.spate(["--public-only", url], code: 1)
        #expect(run.errorLines.first?.hasPrefix("spate: \(url): The address 127.0.0.1 is not allowed. ") == true)
        #expect(server.connectionCount == 0)
        try await folder.spate([url])
    }

    /// What a program answers, and a Metalink.
    @Test func neitherWhatAProgramAnswersNorAMetalinkLeadsThere() async throws {
        try folder.script("sign", "cat > asked; echo '{\"url\": \"\(server.url("/g").absoluteString)\"}'")
        let words = ["--public-only", "--refresh-command", "./sign"]
        let run = try await folder.spate(words + ["http://files.test/f"], code: 1)
        #expect(run.errorLines.first?.contains("The address 127.0.0.1 of 127.0.0.1:") == true)
        try await folder.spate(["--public-only", "-M", server.url("/f.meta4").absoluteString], code: 2)
        #expect(server.connectionCount == 0)
    }

    @Test func aProxyOfTheEnvironmentIsNotUsed() async throws {
        let environment = ["http_proxy": server.url("/").absoluteString, "no_proxy": ""]
        let run = try await folder.spate(["--public-only", "http://files.test/f"], environment: environment, code: 1)
        #expect(run.errorLines.first?.contains("The proxy is not used, since it would choose the address.") == true)
        #expect(server.connectionCount == 0)
    }
}
