import Foundation
import SpateTestSupport
import Testing

/// `--proxy`.
@Suite(.takesTurns) struct ProxyOptionTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 3_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func server(tls: ServerTLS? = nil) throws -> TestServer {
        try TestServer(tls: tls) { [bytes] in .file(bytes, etag: "\"v1\"", for: $0) }
    }

    @Test(arguments: ["http://", ""]) func itWinsOverTheEnvironment(scheme: String) async throws {
        let proxy = try TestServer { .file([1, 2, 3], for: $0) }
        let dead = try DeadPort(.refusing)
        let environment = ["http_proxy": "127.0.0.1:\(dead.port)", "all_proxy": "socks5://127.0.0.1:\(dead.port)"]
        let words = ["--proxy", "\(scheme)127.0.0.1:\(proxy.port)", "http://nowhere.invalid/a.bin"]
        try await folder.spate(words, environment: environment)
        #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/a.bin"])
        #expect(try folder.bytes("a.bin") == [1, 2, 3])
    }

    @Test func noneMeansNotEvenTheEnvironments() async throws {
        let (server, dead) = (try server(), try DeadPort(.refusing))
        let environment = ["http_proxy": "http://127.0.0.1:\(dead.port)", "all_proxy": "http://127.0.0.1:\(dead.port)"]
        let url = server.url("/f").absoluteString
        try await folder.spate(["--proxy", "none", url], environment: environment)
        #expect(try folder.bytes("f") == bytes && server.requests.count == 1)
    }

    @Test(arguments: ["no_proxy", "NO_PROXY"]) func theExceptionsOfTheEnvironmentCount(variable: String) async throws {
        let (server, dead) = (try server(), try DeadPort(.refusing))
        let words = ["--proxy", "socks5h://127.0.0.1:\(dead.port)", server.url("/f").absoluteString]
        try await folder.spate(words, environment: [variable: "10.0.0.0/8,127.0.0.0/8"])
        #expect(try folder.bytes("f") == bytes)
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func severalSecureConnectionsGoThroughTunnelsWithALogin() async throws {
        let gate = try Gate()
        let proxy = try TunnelProxy(login: "al@ice:s:same")
        let server = try TestServer(tls: .good) { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            if request.visit > 1 { gate.open() }
            return request.visit > 1 ? reply : reply.gated(after: 200_000, gate)
        }
        let trust = ["--cacert", try TestCertificates.authority.path]
        let url = server.url("/f", authority: "localhost").absoluteString
        let login = "al%40ice:s%3Asame@127.0.0.1:\(proxy.port)"
        try await folder.spate(trust + ["--proxy", "http://\(login)", "-x", "2", url])
        #expect(try folder.bytes("f") == bytes && server.connectionCount >= 2)
        #expect(proxy.asked == Array(repeating: "localhost:\(server.port)", count: server.connectionCount))
        #expect(server.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
    }

    @Test(arguments: [("alice:other@", "Check the user and password"), ("", "Give a user and password")])
    func aRefusedLoginIsToldAtOnceAndNeverShown(login: String, advice: String) async throws {
        let proxy = try TunnelProxy(login: "alice:sesame")
        let words = ["--proxy", "http://\(login)127.0.0.1:\(proxy.port)", "--json", "--log", "log", "--retries", "9"]
        let run = try await folder.spate(words + ["https://host.test/f"], code: 1)
        let said = run.child.errors + run.child.output + (try folder.text("log"))
        #expect(said.contains("127.0.0.1:\(proxy.port) answered 407 Proxy Authentication Required"), "\(said)")
        #expect(said.contains(advice) && !said.contains("other") && !said.contains("alice"), "\(said)")
        #expect(proxy.asked == ["host.test:443"])
    }

    @Test func aDeadProxyIsNamedWithoutItsLogin() async throws {
        let dead = try DeadPort(.refusing)
        for scheme in ["http", "https", "socks4", "socks4a", "socks5", "socks5h"] {
            let words = ["--proxy", "\(scheme)://alice:sesame@127.0.0.1:\(dead.port)", "--retries", "0"]
            let said = try await folder.spate(words + ["https://host.test/f"], code: 1).child.errors
            #expect(said.contains("Cannot reach host.test:443 through the proxy 127.0.0.1:\(dead.port)"), "\(said)")
            #expect(said.contains("and its URL.") && !said.contains("sesame") && !said.contains("alice"), "\(said)")
        }
    }

    @Test func aMetalinkAndItsFilesComeThroughIt() async throws {
        let proxy = try SOCKSProxy(login: ("alice", "s:same"))
        let server = try TestServer { [bytes] request in
            guard request.path == "/list.meta4" else { return .file(bytes, etag: "\"v1\"", for: request) }
            let url = "http://\(request.fields["Host"] ?? "")/f"
            let file = "<file name='f'><url>\(url)</url></file>"
            return .status(200, body: "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\(file)</metalink>")
        }
        let url = server.url("/list.meta4", authority: "nowhere.invalid").absoluteString
        try await folder.spate(["--proxy", "socks5h://alice:s%3Asame@127.0.0.1:\(proxy.port)", "-M", url])
        #expect(try folder.bytes("f") == bytes && server.requests.map(\.path) == ["/list.meta4", "/f"])
        #expect(!proxy.asked.isEmpty && proxy.asked.allSatisfy { $0 == .name("nowhere.invalid") })
    }

    @Test(arguments: ["ftp://me:secret@proxy", "me:secret@proxy:x", "http://me:secret@proxy/path"])
    func anImpossibleProxyIsRefusedWithoutRepeatingIt(proxy: String) async throws {
        let said = try await folder.spate(["--proxy", proxy, "https://host.test/f"], code: 2).child.errors
        #expect(said.contains("--proxy: The proxy cannot be used") && !said.contains("secret"), "\(said)")
    }
}
