import Foundation
import SpateTestSupport
import Testing

/// SOCKS proxies of the environment.
@Suite(.takesTurns) struct SOCKSTests {
    private let folder: TemporaryFolder
    private let bytes = TestBytes.random(count: 3_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func server() throws -> TestServer {
        try TestServer { [bytes] in .file(bytes, etag: "\"v1\"", for: $0) }
    }

    /// The environment with this proxy for all URLs.
    private func environment(_ scheme: String, _ proxy: SOCKSProxy, login: String = "") -> [String: String] {
        ["all_proxy": "\(scheme)://\(login)127.0.0.1:\(proxy.port)"]
    }

    @Test(arguments: [nil, ("alice", "s:same")] as [(user: String, password: String)?])
    func theProxyResolvesTheNameWithSocks5h(login: (user: String, password: String)?) async throws {
        let (server, proxy) = (try server(), try SOCKSProxy(login: login))
        let environment = environment("socks5h", proxy, login: login == nil ? "" : "alice:s%3Asame@")
        let url = server.url("/f", authority: "nowhere.invalid").absoluteString
        try await folder.spate([url], environment: environment)
        #expect(try folder.bytes("f") == bytes && proxy.asked == [.name("nowhere.invalid")])
        // The proxy is not part of the request.
        #expect(server.requests[0].target == "/f" && server.requests[0].fields["Proxy-Authorization"] == nil)
    }

    @Test func thisMachineResolvesTheNameWithSocks5() async throws {
        let (server, proxy) = (try server(), try SOCKSProxy())
        let url = server.url("/f", authority: "localhost").absoluteString
        try await folder.spate([url], environment: environment("socks5", proxy))
        #expect(try folder.bytes("f") == bytes && proxy.asked.count == 1)
        let local: [SOCKSProxy.Destination] = [
            .address([127, 0, 0, 1]), .address([UInt8](repeating: 0, count: 15) + [1]),
        ]
        #expect(proxy.asked.allSatisfy(local.contains))
        // Nobody resolves this name here.
        let said = try await folder.spate(
            ["--retries", "0", "http://nowhere.invalid/g"],
            environment: environment("socks5", proxy),
            code: 1
        ).child.errors
        #expect(said.contains("nowhere.invalid") && proxy.asked.count == 1, "\(said)")
    }

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"))
    func httpsAndSeveralConnectionsGoThroughIt() async throws {
        let (gate, proxy) = (try Gate(), try SOCKSProxy())
        // The first connection waits for the second.
        let server = try TestServer(tls: .good) { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            if request.visit > 1 { gate.open() }
            return request.visit > 1 ? reply : reply.gated(after: 200_000, gate)
        }
        let words = ["--cacert", try TestCertificates.authority.path, "-x", "2", server.url("/f").absoluteString]
        try await folder.spate(words, environment: environment("socks5h", proxy))
        #expect(try folder.bytes("f") == bytes && server.requests.count >= 2)
        #expect(proxy.asked.count == server.connectionCount && proxy.asked.count >= 2)
    }

    @Test func aCutConnectionIsResumedThroughIt() async throws {
        let server = try TestServer { [bytes] request in
            let reply = Reply.file(bytes, etag: "\"v1\"", for: request)
            return request.visit == 1 ? reply.stalled(after: 1_000_000) : reply
        }
        let proxy = try SOCKSProxy()
        let url = server.url("/f").absoluteString
        let run = try SpateRun(["--timeout", "600", url], in: folder, environment: environment("socks5", proxy))
        try await eventually("a part is on disk") { (try? folder.bytes("f.part").count) ?? 0 >= 1_000_000 }
        proxy.cut()
        #expect(try await run.exitCode() == 0, "\(run.child.errors)")
        #expect(try folder.bytes("f") == bytes && server.requests.count == 2 && server.requests[1].range != nil)
    }

    @Test(arguments: ["no_proxy", "NO_PROXY"]) func exceptionsGoAroundIt(variable: String) async throws {
        let (server, proxy) = (try server(), try SOCKSProxy())
        let environment = environment("socks5h", proxy).merging([variable: "10.0.0.0/8,127.0.0.0/8"]) { $1 }
        try await folder.spate([server.url("/f").absoluteString], environment: environment)
        #expect(try folder.bytes("f") == bytes && proxy.asked == [])
    }

    /// A proxy that does not connect, and what is said of it.
    struct Refusal: Sendable {
        var behaviour = SOCKSProxy.Behaviour.right
        var login: String?
        var timeout = "60"
        let says: String
    }

    private static let reach = "Cannot reach host.test:80 through the proxy PROXY ("
    private static let refused = "The proxy PROXY refused when asked for host.test:80 ("
    private static let beyond = "The proxy PROXY cannot connect to host.test:80 ("

    @Test(arguments: [
        Refusal(login: "sesame", says: refused), Refusal(login: "", says: refused),
        Refusal(behaviour: .refusing(2), says: refused), Refusal(behaviour: .refusing(1), says: beyond),
        Refusal(behaviour: .refusing(3), says: beyond), Refusal(behaviour: .refusing(4), says: beyond),
        Refusal(behaviour: .refusing(5), says: beyond), Refusal(behaviour: .refusing(6), says: beyond),
        Refusal(behaviour: .refusing(7), says: beyond), Refusal(behaviour: .refusing(8), says: beyond),
        Refusal(behaviour: .refusing(99), says: beyond), Refusal(behaviour: .closing(after: 0), says: reach),
        Refusal(behaviour: .closing(after: 1), says: reach), Refusal(behaviour: .closing(after: 2), says: reach),
        Refusal(behaviour: .garbage, says: reach),
        Refusal(
            behaviour: .silent,
            timeout: "1",
            says: "Connecting to host.test:80 through the proxy PROXY took too long"
        ),
    ])
    func aRefusalIsToldAsTheProxys(refusal: Refusal) async throws {
        let proxy = try SOCKSProxy(refusal.behaviour, login: refusal.login.map { _ in ("alice", "other") })
        let login = refusal.login.map { $0.isEmpty ? "" : "alice:\($0)@" } ?? ""
        let said = try await folder.spate(
            ["--retries", "0", "--timeout", refusal.timeout, "http://host.test/f"],
            environment: environment("socks5h", proxy, login: login),
            code: 1
        ).child.errors
        #expect(said.contains(refusal.says.replacing("PROXY", with: "127.0.0.1:\(proxy.port)")), "\(said)")
        #expect(!said.contains("sesame") && !said.contains("alice"))
    }
}
