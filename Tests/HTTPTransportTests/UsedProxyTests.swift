import HTTPSyntax
import Testing

@testable import HTTPTransport

/// The same choice as libcurl's: https://everything.curl.dev/usingcurl/proxies/env.html
@Suite struct EnvironmentProxyTests {
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
            ("https://[fe80::1]/", ["https_proxy": "p:1", "no_proxy": "fe80::/10"], nil),
        ] as [(String, [String: String], String?)]
    )
    func theProxyIsTheOneThatLibcurlUses(url: String, variables: [String: String], name: String?) throws {
        let proxy = EnvironmentProxy(for: try HTTPURL(url), variable: { variables[$0] })
        #expect(proxy?.name == name)
        #expect(proxy?.hasCredentials ?? false == variables.values.contains { $0.contains("@") })
    }
}
