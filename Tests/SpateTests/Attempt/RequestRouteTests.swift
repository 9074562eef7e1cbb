import HTTPSyntax
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
            try route.follow(head, allowsInsecure: false)
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
        #expect(error.code == .redirect && error.message.contains(Self.enqueued))
        #expect(!dumped.contains("hidden"), "\(dumped)")
    }

    @Test func aURLThatWasNotPreparedIsNamed() throws {
        #expect(try fault("http://cdn.test/hidden/f", isPrepared: false).message.contains("http://cdn.test/hidden/f"))
    }
}
