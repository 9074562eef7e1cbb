import SpateHTTPResumption
import SpateHTTPSyntax
import Testing

@testable import Spate

@Suite struct RequestRouteTests {
    private static let enqueued = "https://api.test/f"
    private static let prepared = "https://cdn.test/hidden/f?sig=hidden"

    /// The error of a redirect to this target.
    private func fault(_ target: String, isPrepared: Bool) throws -> DownloadError {
        let enqueued = try HTTPURL(Self.enqueued)
        var route = RequestRoute(to: try HTTPURL(Self.prepared), preparedFor: isPrepared ? enqueued : nil)
        var head = ResponseHead(status: 302)
        head.fields.append(name: "Location", value: target)
        do throws(DownloadError) {
            try route.follow(head, by: RedirectRules())
        } catch {
            return error
        }
        throw DownloadError(.redirect, "it was followed to \(route.address)")
    }

    @Test(arguments: [prepared, "http://cdn.test/hidden/f?sig=hidden", "/hidden/f?sig=hidden", "ftp://cdn.test/hidden"])
    func aRefusedRedirectHasNothingOfAPreparedURL(target: String) throws {
        let error = try fault(target, isPrepared: true)
        var dumped = error.message
        dump(error, to: &dumped)
        #expect(error.code == .redirect)
        #expect(!dumped.contains("hidden"), "\(dumped)")
    }

    @Test func aURLThatWasNotPreparedIsNamed() throws {
        #expect(try fault("http://cdn.test/hidden/f", isPrepared: false).message.contains("http://cdn.test/hidden/f"))
    }

    @Test(
        "A host is named only if it is not the one of the download's URL",
        arguments: [
            ("https://host.test/f", nil), ("http://host.test/other?a=b", nil), ("https://host.test:443/", nil),
            ("https://other.test/f", "other.test"), ("https://other.test:8443/f", "other.test:8443"),
            ("https://host.test:8443/f", "host.test:8443"), ("https://[::1]:81/f", "[::1]:81"),
        ] as [(String, String?)]
    )
    func elsewhere(address: String, expected: String?) throws {
        let (url, other) = (try HTTPURL("https://host.test/f"), try HTTPURL(address))
        #expect(RequestRoute(to: other, mirroring: url).elsewhere == expected)
        #expect(RequestRoute(to: other, preparedFor: url).elsewhere == expected)
        #expect(RequestRoute(to: url).toOther(other).elsewhere == expected)
        #expect(RequestRoute(to: other).elsewhere == nil)
    }
}
