import Foundation
import TestSupport
import Testing

@Suite(.takesTurns) struct NetworkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func theProxyOfTheEnvironmentIsUsed() async throws {
        let proxy = try TestServer { .file([1, 2, 3], for: $0) }
        let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)", "no_proxy": ""]
        let run = try SpateRun(["http://nowhere.invalid/a.bin"], in: folder, environment: environment)
        #expect(try await run.exitCode() == 0)
        #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/a.bin"])
        #expect(try folder.bytes("a.bin") == [1, 2, 3])
    }

    /// A proxy that fails (rule 97): its answer to every request, and what is said.
    struct BadProxy: CustomTestStringConvertible {
        let testDescription: String
        var tls: ServerTLS?
        var reply: Reply = .hangUp
        var variable = "https_proxy"
        /// `PROXY` stands for the host and port.
        var value = "http://alice:sesame@PROXY"
        var url = "https://host.test/a.bin"
        var retries = 0
        let says: String
    }

    static let badProxies = [
        BadProxy(
            testDescription: "407 to CONNECT",
            reply: .status(407),
            value: "http://PROXY",
            retries: 9,
            says: "The proxy PROXY answered with status 407 when asked for host.test:443 "
                + "(CONNECT tunnel failed, response 407). Give a user and password in the proxy's URL."
        ),
        BadProxy(
            testDescription: "407 although credentials were sent",
            reply: .status(407),
            retries: 9,
            says: "Check the user and password in the proxy's URL."
        ),
        BadProxy(
            testDescription: "403",
            reply: .status(403),
            retries: 9,
            says: "The proxy PROXY answered with status 403"
        ),
        BadProxy(
            testDescription: "405",
            reply: .status(405),
            variable: "all_proxy",
            retries: 9,
            says: "status 405 when"
        ),
        BadProxy(testDescription: "503", reply: .status(503), says: "Try again later"),
        BadProxy(
            testDescription: "407 without CONNECT",
            reply: .status(407),
            variable: "http_proxy",
            url: "http://host.test/a.bin",
            retries: 9,
            says: "The proxy answered with status 407 for http://host.test/a.bin."
        ),
        BadProxy(testDescription: "a close", says: "Cannot reach host.test:443 through the proxy PROXY"),
        BadProxy(
            testDescription: "no SOCKS method",
            tls: ServerTLS(handshake: .spoken([5, 0xFF])),
            variable: "ALL_PROXY",
            value: "socks5h://PROXY",
            retries: 9,
            says: "The proxy PROXY refused when asked for host.test:443"
        ),
        BadProxy(
            testDescription: "another scheme",
            value: "gopher://alice:sesame@PROXY",
            retries: 9,
            says: "Cannot use the proxy PROXY for host.test:443"
        ),
        BadProxy(
            testDescription: "a malformed URL",
            value: "http://alice:sesame@PROXY:x",
            retries: 9,
            says: "Cannot use the proxy PROXY:x for host.test:443"
        ),
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
        for url in ["https://127.0.0.2/a.bin", "http://127.0.0.2/a.bin"] {
            let says = "Cannot reach 127.0.0.2:\(url.hasPrefix("https") ? 443 : 80) through the proxy PROXY"
            try await expect(
                "127.0.0.1:\(port.port)",
                BadProxy(
                    testDescription: scheme,
                    variable: "all_proxy",
                    value: "\(scheme)://alice:sesame@PROXY",
                    url: url,
                    says: says
                )
            )
        }
    }

    private func expect(_ address: String, _ proxy: BadProxy) async throws {
        let value = proxy.value.replacing("PROXY", with: address)
        let arguments = ["--retries", "\(proxy.retries)", proxy.url]
        let run = try SpateRun(arguments, in: folder, environment: [proxy.variable: value])
        #expect(try await run.exitCode() == 1)
        let said = run.child.errors
        #expect(said.contains(proxy.says.replacing("PROXY", with: address)), "\(said)")
        #expect(!said.contains("sesame") && !said.contains("alice"), "\(said)")
    }

    @Test(.enabled(if: TemporaryMount.isPossible, "only root can give a process its own name server"))
    func aHangingLookupDoesNotDelayTheExit() async throws {
        let resolver = try SilentResolver()
        let settings = "nameserver \(resolver.address)\noptions timeout:30 attempts:5\n"
        try Data(settings.utf8).write(to: folder.url("resolv.conf"))
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
