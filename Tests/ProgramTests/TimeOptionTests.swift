import Foundation
import SpateTestSupport
import Testing

/// `--max-time`, `--speed-limit` and `--speed-time`.
@Suite(.takesTurns) struct TimeOptionTests {
    private let folder: TemporaryFolder
    private static let bytes = TestBytes.random(count: 300_000)

    init() throws { folder = try TemporaryFolder() }

    @Test func aFileThatTakesTooLongFailsAndIsResumed() async throws {
        let server = try TestServer { request in
            let file = Reply.file(Self.bytes, etag: "\"a\"", for: request)
            return request.visit == 1 ? file.stalled(after: 100_000) : file
        }
        let url = server.url("/f").absoluteString
        let run = try await folder.spate(["--max-time", "2", url], code: 1)
        #expect(run.errorLines.first?.contains("\(url): The file was not complete after 2 s.") == true)
        try await folder.spate(["resume"])
        #expect(try folder.bytes("f") == Self.bytes)
        #expect(server.requests.last?.range != nil)
    }

    /// As with curl, `--speed-time` alone demands a byte a second.
    @Test(arguments: [["--speed-limit", "10K", "--speed-time", "1"], ["--speed-time", "1"]])
    func aServerThatDripsIsGivenUp(words: [String]) async throws {
        let server = try TestServer { request in
            let file = Reply.file(Self.bytes, etag: "\"a\"", for: request)
            return words.count > 2 ? file.dripped(bytes: 100, every: .milliseconds(50)) : file.stalled(after: 100)
        }
        let url = server.url("/f").absoluteString
        let run = try await folder.spate(words + ["--retries", "0", url], code: 1)
        #expect(run.errorLines.first?.contains("The server sent less than") == true)
        #expect(server.requests.count == 1)
    }
}
