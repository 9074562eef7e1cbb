import Foundation
import SpateTestSupport
import Testing

@Suite(.takesTurns) struct NetworkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func theProxyOfTheEnvironmentIsUsed() async throws {
        let proxy = try TestServer { .file([1, 2, 3], for: $0) }
        let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""]
        try await folder.spate(["http://nowhere.invalid/a.bin"], environment: environment)
        #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/a.bin"])
        #expect(try folder.bytes("a.bin") == [1, 2, 3])
    }

    /// A proxy that fails (rule 97): its answer to every request, and what is said.
    struct BadProxy: Sendable {
        var reply: Reply = .hangUp
        var tls: ServerTLS?
        var variable = "https_proxy"
        /// `PROXY` stands for the host and port.
        var value = "http://alice:sesame@PROXY"
        var url = "https://host.test/a.bin"
        /// Whether another try could help. Nine are allowed then, none else.
        var isRetried = false
        let says: String
    }

    private static let page = "<html>Please sign in.</html>"

    /// What each says of the tunnel, or of the server behind it.
    private static let badProxies = [
        BadProxy(
            reply: .status(407),
            value: "http://PROXY",
            says: "The proxy PROXY answered 407 Proxy Authentication Required when asked for host.test:443. "
                + "Give a user and password in the proxy's URL."
        ),
        BadProxy(reply: .status(407), says: "Check the user and password in the proxy's URL."),
        BadProxy(reply: .status(403), says: "The proxy PROXY answered 403 Forbidden"),
        BadProxy(reply: .status(405), variable: "all_proxy", says: "405 Method Not Allowed when"),
        BadProxy(reply: .redirect(to: "http://login.test/"), says: "The proxy PROXY answered 302 Found"),
        BadProxy(
            reply: .status(511, fields: ["Content-Type": "text/html"], body: Self.page),
            isRetried: true,
            says: "The proxy PROXY answered 511 Network Authentication Required when asked for host.test:443"
        ),
        BadProxy(
            reply: .status(200, fields: ["Content-Type": "text/html"], body: Self.page),
            says: "The proxy PROXY answered for host.test:443 with something that is not TLS"
        ),
        BadProxy(
            reply: .raw(Self.page),
            isRetried: true,
            says: "Cannot reach host.test:443 through the proxy PROXY"
        ),
        BadProxy(reply: .status(503), isRetried: true, says: "Try again later"),
        BadProxy(
            reply: .status(407),
            variable: "http_proxy",
            url: "http://host.test/a.bin",
            says: "The proxy answered 407 Proxy Authentication Required."
        ),
        BadProxy(isRetried: true, says: "Cannot reach host.test:443 through the proxy PROXY"),
        BadProxy(
            tls: ServerTLS(handshake: .spoken([5, 0xFF])),
            variable: "ALL_PROXY",
            value: "socks5h://PROXY",
            says: "The proxy PROXY refused when asked for host.test:443"
        ),
        BadProxy(value: "gopher://alice:sesame@PROXY", says: "Cannot use the proxy PROXY for host.test:443"),
        BadProxy(value: "http://alice:sesame@PROXY:x", says: "Cannot use the proxy PROXY:x for host.test:443"),
    ]

    @Test(.enabled(if: ServerTLS.isPossible, "\(ServerTLS.requirement)"), arguments: badProxies)
    func aProxyThatFailsIsNamedAndItsPasswordIsNot(proxy: BadProxy) async throws {
        let server = try TestServer(tls: proxy.tls) { _ in proxy.reply }
        try await expect("127.0.0.1:\(server.port)", proxy)
        #expect(server.requests.count <= 1)
    }

    @Test(arguments: ["http", "socks4", "socks5h"])
    func aDeadProxyIsNotTakenForTheServer(scheme: String) async throws {
        let port = try DeadPort(.refusing)
        for (url, number) in [("https://127.0.0.2/a.bin", 443), ("http://127.0.0.2/a.bin", 80)] {
            let proxy = BadProxy(
                variable: "all_proxy",
                value: "\(scheme)://alice:sesame@PROXY",
                url: url,
                isRetried: true,
                says: "Cannot reach 127.0.0.2:\(number) through the proxy PROXY"
            )
            try await expect("127.0.0.1:\(port.port)", proxy)
        }
    }

    private func expect(_ address: String, _ proxy: BadProxy) async throws {
        let environment = [proxy.variable: proxy.value.replacing("PROXY", with: address)]
        let words = ["--retries", proxy.isRetried ? "0" : "9", proxy.url]
        let said = try await folder.spate(words, environment: environment, code: 1).child.errors
        #expect(said.contains(proxy.says.replacing("PROXY", with: address)), "\(said)")
        #expect(!said.contains("sesame") && !said.contains("alice"), "\(said)")
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "only root can give a process its own name server"))
    func aHangingLookupDoesNotDelayTheExit() async throws {
        let resolver = try SilentResolver()
        try folder.write("nameserver \(resolver.address)\noptions timeout:30 attempts:5\n", to: "resolv.conf")
        // In its own mount namespace the program sees another resolv.conf.
        let script = "mount --bind \"$1\" /etc/resolv.conf && exec \"$2\" http://slow.example.test/a.bin"
        let child = try ChildProcess(
            "/usr/bin/unshare",
            ["--mount", "/bin/sh", "-c", script, "sh", folder.path("resolv.conf"), BuiltProgram.path("spate")],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
            folder: folder.path
        )
        try await eventually("the name server is asked") { resolver.wasAsked }
        let began = ContinuousClock.now
        child.send(SIGINT)
        #expect(try await child.waitForExit() == .status(130))
        // The lookup itself would take five times thirty seconds.
        #expect(ContinuousClock.now - began < .seconds(120))
    }
}
