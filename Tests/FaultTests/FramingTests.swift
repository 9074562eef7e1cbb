import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Framing": where a message ends, and what follows when it ends elsewhere.
@Suite struct FramingTests {
    private let bytes = TestBytes.random(count: 100_000)

    @Test func line1AConnectionThatAlwaysClosesEarlyIsGivenUpAndItsBytesKept() async throws {
        let server = try TestServer { [bytes] in .file(bytes, etag: "\"v\"", for: $0).cut(after: 0) }
        let test = try TestManager()
        let error = try #require(try await test.manager.download(server.url("/f")).ended().error)
        #expect(error.code == .connectionFailed && error.isRetryable && server.requests.count == 4)
        #expect(!FileManager.default.fileExists(atPath: test.folder.path("f")))
    }
}
