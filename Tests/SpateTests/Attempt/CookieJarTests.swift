import Foundation
import SpateHTTPSyntax
import SpateTestSupport
import Testing

@testable import Spate

@Suite(.takesTurns) struct CookieJarTests {
    private static let cookies = [
        DownloadCookie("all", "1", domain: ".Example.com", includesSubdomains: true),
        DownloadCookie("secure", "2", domain: "example.com", isSecure: true),
        DownloadCookie("dir", "3", domain: "example.com", path: "/dir", expires: Date(timeIntervalSince1970: 2e9)),
        DownloadCookie("expired", "4", domain: "example.com", expires: Date(timeIntervalSince1970: 1e9)),
        DownloadCookie("twice", "old", domain: "example.com"),
        DownloadCookie("twice", "new", domain: "example.com"),
        DownloadCookie("empty", "", domain: "example.com"),
        DownloadCookie("ip", "5", domain: "10.0.0.1"),
        DownloadCookie("part", "6", domain: "0.0.1", includesSubdomains: true),
    ]

    @Test(
        arguments: [
            ("https://example.com/a", "all=1; secure=2; twice=new; empty="),
            ("http://Example.com", "all=1; twice=new; empty="),
            ("http://example.com:8080/", "all=1; twice=new; empty="),
            ("http://example.com/dir/a", "dir=3; all=1; twice=new; empty="),
            ("http://example.com/dir?x", "dir=3; all=1; twice=new; empty="),
            ("http://example.com/directory", "all=1; twice=new; empty="),
            ("http://example.com/dir/../a", "all=1; twice=new; empty="),
            ("http://sub.example.com/dir/", "all=1"), ("http://badexample.com/", nil), ("http://com/", nil),
            ("http://10.0.0.1/", "ip=5"), ("http://1.10.0.0.1.example/", nil),
        ] as [(String, String?)]
    )
    func aURLGetsTheCookiesForIt(url: String, header: String?) throws {
        let date = Date(timeIntervalSince1970: 1_500_000_000)
        #expect(CookieJar(Self.cookies).header(for: try HTTPURL(url), at: date) == header)
    }

    /// What each request had as its cookies, in a download that is redirected twice and resumed once.
    @Test func eachRequestGetsTheCookiesOfWhereItGoes() async throws {
        let content = TestBytes.random(count: 5_000)
        let server = try TestServer { request in
            switch request.path {
            case "/private/f": .redirect(to: "/public/f")
            case "/public/f":
                .redirect(to: "http://localhost:\(request.fields["Host"]?.split(separator: ":").last ?? "")/f")
            default: .file(content, etag: "\"v\"", for: request)
            }
        }
        let test = try TestManager { configuration in
            configuration.cookies = [
                DownloadCookie("a", "1", domain: "127.0.0.1", path: "/private"),
                DownloadCookie("b", "2", domain: "127.0.0.1"),
                DownloadCookie("c", "3", domain: "localhost"),
                DownloadCookie("d", "4", domain: "localhost", isSecure: true),
            ]
        }
        #expect(try await test.manager.download(server.url("/private/f")).ended().error == nil)
        #expect(server.requests.map { $0.fields["Cookie"] } == ["a=1; b=2", "b=2", "c=3"])
    }

    @Test func aRequestThatBringsItsOwnGetsNoOther() async throws {
        let server = try TestServer { .file([1], for: $0) }
        let test = try TestManager { $0.cookies = [DownloadCookie("a", "1", domain: "127.0.0.1")] }
        var request = DownloadRequest(server.url("/f"))
        request.headers = ["cookie": "own=1"]
        #expect(try await test.manager.download(request).ended().error == nil)
        #expect(server.requests.map { $0.fields["Cookie"] } == ["own=1"])
    }

    @Test func aCookieThatCannotBeSentFailsEachDownload() async throws {
        let test = try TestManager { $0.cookies = [DownloadCookie("a", "1\r\nX: y", domain: "host.test")] }
        let url = try #require(URL(string: "http://host.test/f"))
        #expect(try await test.manager.download(url).ended().error?.code == .badHeader)
    }
}
