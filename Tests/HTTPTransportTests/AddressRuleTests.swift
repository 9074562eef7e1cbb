import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import SpateHTTPTransport

/// Which addresses libcurl may connect to.
@Suite(.takesTurns) struct AddressRuleTests {
    /// Two servers at one port: outside, and inside.
    private let outside: TestServer
    private let inside: TestServer
    private let asked = Watched<[String]>([])

    init() throws {
        outside = try TestServer { .file([1], for: $0) }
        inside = try TestServer(port: outside.port, address: "127.0.0.2") { .file([2], for: $0) }
    }

    private func settings(
        _ proxy: TransportProxy = .none,
        trustsProxies: Bool = false,
        allowing addresses: [String] = ["127.0.0.1"]
    ) -> TransportSettings {
        let rule = AddressRule(trustsProxies: trustsProxies) { [asked] address in
            asked.update { $0.append(address.description) }
            return addresses.contains(address.description)
        }
        return TransportSettings(stallTimeout: .seconds(120), proxy: proxy, addresses: rule)
    }

    private func request(
        to addresses: [String],
        as name: String = "cdn.test",
        at address: String? = nil,
        _ settings: TransportSettings
    ) throws -> TransportRequest {
        let url = outside.url("/file", authority: name)
        return try TransportRequest(url, address: address, knownAddresses: addresses, settings: settings)
    }

    @Test func anAddressThatIsNotAllowedIsNotConnected() async throws {
        let transport = CurlTransport(loopCount: 1)
        let contents = try await transport.fetch(request(to: ["127.0.0.2", "127.0.0.3"], settings()))
        #expect(contents.error?.kind == .addressNotAllowed)
        #expect(contents.error?.address == "127.0.0.2")
        #expect(asked.value == ["127.0.0.2", "127.0.0.3"])
        #expect(inside.connectionCount == 0)
    }

    @Test func theOtherAddressesOfAHostAreTried() async throws {
        let transport = CurlTransport(loopCount: 1)
        let addresses = ["::1", "127.0.0.2", "127.0.0.1"]
        #expect(try await transport.fetch(request(to: addresses, settings())).body == [1])
        #expect(inside.connectionCount == 0)
    }

    @Test func aChosenAddressIsJudgedToo() async throws {
        let transport = CurlTransport(loopCount: 1)
        let contents = try await transport.fetch(request(to: ["127.0.0.1"], at: "127.0.0.2", settings()))
        #expect(contents.error?.kind == .addressNotAllowed)
        #expect(inside.connectionCount == 0)
    }

    /// It may work later, so it is tried again.
    @Test func anAllowedAddressThatRefusesIsAFailureOfTheConnection() async throws {
        let port = try DeadPort(.refusing)
        let request = TransportRequest(
            url: try HTTPURL("http://cdn.test:\(port.port)/file"),
            knownAddresses: ["127.0.0.2", "127.0.0.1"],
            settings: settings()
        )
        let error = try await CurlTransport(loopCount: 1).fetch(request).error
        #expect(error?.kind == .connectionFailed)
    }

    /// The mapped form is told as the IPv4 address that it is.
    @Test func aMappedAddressIsJudgedAsTheOneBehindIt() async throws {
        let transport = CurlTransport(loopCount: 1)
        let contents = try await transport.fetch(request(to: [], as: "[::ffff:127.0.0.2]", settings()))
        #expect(contents.error?.kind == .addressNotAllowed)
        #expect(asked.value == ["127.0.0.2"])
        #expect(try await transport.fetch(request(to: [], as: "[::ffff:7f00:1]", settings())).body == [1])
    }

    /// Another manager, which may connect anywhere, has opened it.
    @Test func aConnectionThatIsThereIsJudgedBeforeItIsUsed() async throws {
        let transport = CurlTransport(loopCount: 1)
        let addresses = ["127.0.0.2", "127.0.0.1"]
        #expect(try await transport.fetch(request(to: addresses, .patient())).body == [2])
        #expect(try await transport.fetch(request(to: addresses, settings())).body == [1])
        #expect(
            try await transport.fetch(request(to: addresses, settings(allowing: []))).error?.kind == .addressNotAllowed
        )
        #expect(inside.requests.count == 1)
        #expect(outside.requests.count == 1)
    }

    @Test func aConnectionIsUsedAgainIfItIsAllowed() async throws {
        let transport = CurlTransport(loopCount: 1)
        for _ in 0..<3 { #expect(try await transport.fetch(request(to: ["127.0.0.1"], settings())).body == [1]) }
        #expect(outside.connectionCount == 1)
    }

    // MARK: Proxies

    private func proxy(_ proxy: TunnelProxy) throws -> TransportProxy {
        .given(try ProxyURL("http://127.0.0.1:\(proxy.port)"))
    }

    @Test func aProxyIsNotUsedUnlessItIsTrusted() async throws {
        let tunnel = try TunnelProxy()
        let transport = CurlTransport(loopCount: 1)
        let contents = try await transport.fetch(request(to: ["127.0.0.1"], settings(proxy(tunnel))))
        #expect(contents.error?.kind == .addressNotAllowed)
        #expect(contents.error?.proxy == "127.0.0.1:\(tunnel.port)")
        #expect(outside.connectionCount == 0)
        #expect(asked.value.isEmpty)
    }

    @Test func aTrustedProxyConnectsWhereItWants() async throws {
        let relay = try TestServer { .file([3], for: $0) }
        let settings = settings(
            .given(try ProxyURL("http://127.0.0.1:\(relay.port)")),
            trustsProxies: true,
            allowing: []
        )
        #expect(try await CurlTransport(loopCount: 1).fetch(request(to: [], settings)).body == [3])
        #expect(relay.requests.count == 1)
        #expect(asked.value.isEmpty)
    }
}
