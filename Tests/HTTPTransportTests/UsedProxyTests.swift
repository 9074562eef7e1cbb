import SpateHTTPSyntax
import Testing

@testable import SpateHTTPTransport

/// The same choice as libcurl's: https://everything.curl.dev/usingcurl/proxies/env.html
@Suite struct UsedProxyTests {
    @Test(
        arguments: [
            ("http://a.test/", [:], nil),
            ("http://a.test/", ["http_proxy": "p:1"], "p:1"),
            ("http://a.test/", ["HTTP_PROXY": "p:1"], nil),
            ("http://a.test/", ["https_proxy": "p:1"], nil),
            ("http://a.test/", ["http_proxy": "", "ALL_PROXY": "socks5://p"], "p"),
            ("https://a.test/", ["HTTPS_PROXY": "http://p:1/"], "p:1"),
            ("https://a.test/", ["https_proxy": "p:1", "HTTPS_PROXY": "q:1", "all_proxy": "r:1"], "p:1"),
            ("https://a.test/", ["all_proxy": "http://us@er:pass/@word@[::1]:1"], "[::1]:1"),
            ("https://a.test/", ["https_proxy": "p:1", "no_proxy": "*"], nil),
            ("https://a.test/", ["https_proxy": "p:1", "NO_PROXY": "b.test, .TEST"], nil),
            ("https://a.test/", ["https_proxy": "p:1", "no_proxy": "b.a.test,est,a.tes"], "p:1"),
            ("https://a.test/", ["https_proxy": "p:1", "no_proxy": "b", "NO_PROXY": "a.test"], "p:1"),
            ("https://10.1.2.3/", ["https_proxy": "p:1", "no_proxy": "10.1.2.3"], nil),
            ("https://10.1.2.3/", ["https_proxy": "p:1", "no_proxy": "::/1 10.1.0.0/15"], nil),
            ("https://10.1.2.3/", ["https_proxy": "p:1", "no_proxy": "10.0.0.0/16,2.3"], "p:1"),
            ("https://10.1.2.3/", ["https_proxy": "p:1", "no_proxy": "10.0.0.0/-9223372036854775808"], nil),
            ("https://10.1.2.3/", ["https_proxy": "p:1", "no_proxy": "11.0.0.0/9223372036854775807"], "p:1"),
            ("https://[fe80::1]/", ["https_proxy": "p:1", "no_proxy": "fe80::/10"], nil),
        ] as [(String, [String: String], String?)]
    )
    func theProxyIsTheOneThatLibcurlUses(url: String, variables: [String: String], name: String?) throws {
        let proxy = UsedProxy(for: try HTTPURL(url), .environment, variable: { variables[$0] })
        #expect(proxy?.name == name)
        #expect(proxy?.hasCredentials ?? false == variables.values.contains { $0.contains("@") })
    }

    @Test(
        arguments: [
            ([:], false), (["no_proxy": "a.test", "HTTP_PROXY": "p:1", "ftp_proxy": "p:1"], false),
            (["http_proxy": "", "ALL_PROXY": ""], false), (["http_proxy": "p:1"], true), (["https_proxy": "p:1"], true),
            (["HTTPS_PROXY": "p:1"], true), (["all_proxy": "p:1"], true), (["http_proxy": "", "ALL_PROXY": "p"], true),
        ] as [([String: String], Bool)]
    )
    func anEnvironmentMayHaveAProxy(variables: [String: String], may: Bool) {
        #expect(UsedProxy.mayBeInEnvironment(variable: { variables[$0] }) == may)
    }

    /// As with curl: https://curl.se/libcurl/c/CURLOPT_NOPROXY.html
    @Test func aGivenProxyWinsExceptForTheHostsOfNoProxy() throws {
        let variables = ["http_proxy": "q:1", "no_proxy": "b.test"]
        let given = TransportProxy.given(try ProxyURL("http://us%40er:pass@p:2"))
        for (host, choice, name) in [
            ("a.test", given, "p:2"), ("b.test", given, nil), ("a.test", .environment, "q:1"), ("a.test", .none, nil),
        ] {
            let proxy = UsedProxy(for: try HTTPURL("http://\(host)/"), choice, variable: { variables[$0] })
            #expect(proxy?.name == name && proxy?.isGiven ?? (choice == given) == (choice == given))
        }
    }

    @Test(
        arguments: [
            ("p:3128", "http://p:3128"), ("HTTP://P", "http://p:1080"), ("https://p/", "https://p:443"),
            ("http://p:80", "http://p:80"), ("https://u:p@[::1]", "https://[::1]:443"), ("u@p:1", "http://p:1"),
            ("http://[::1]:1/", "http://[::1]:1"), ("socks4a://10.0.0.1", "socks4a://10.0.0.1:1080"),
            ("socks5h://p2", "socks5h://p2:1080"),
        ]
    )
    func theURLOfAProxyIsRead(text: String, read: String) throws {
        #expect(try ProxyURL(text).text == read)
    }

    @Test func itsLoginIsKeptApart() throws {
        let proxy = try ProxyURL("socks5://al%40ice:s%3Asame@p:1")
        #expect(proxy.credentials?.user == "al@ice" && proxy.credentials?.password == "s:same")
        #expect(proxy.text == "socks5://p:1" && proxy.name == "p:1")
    }

    @Test(
        arguments: [
            ("ftp://p:1", ProxyURL.Fault.scheme), ("http://p:1/x", .surplus), ("http://p:1?x", .surplus),
            ("http://p:1#x", .surplus), ("http://p:99999", .url(.invalidPort)), ("http://", .url(.missingHost)),
            ("http://a b:1", .url(.invalidHost)), ("http://%FF@p:1", .url(.invalidCredentials)),
        ]
    )
    func otherTextsAreRefused(text: String, fault: ProxyURL.Fault) {
        #expect(throws: fault) { try ProxyURL(text) }
    }
}
