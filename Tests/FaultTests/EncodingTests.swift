import Foundation
import Spate
import TestSupport
import Testing

/// Octets are stored as they come, and their encoding is reported (ResumptionRules.md 48 to 50).
@Suite(.takesTurns) struct EncodingTests {
    /// A file whose octets the server says are encoded.
    private func encoded(_ encoding: String) -> TestFile {
        TestFile(FaultStory.bytes, etag: "\"v1\"", fields: ["Content-Encoding": encoding])
    }

    @Test(arguments: ["gzip", "br", "zstd", "no-such-coding"])
    func anUnrequestedEncodingIsStoredAsItCameAndReported(encoding: String) async throws {
        let story = try FaultStory(of: encoded(encoding)) { $1 }
        #expect(try await story.publishes(asking: [nil]).remarks == [.contentEncoding(encoding)])
        #expect(story.server.requests[0].fields["Accept-Encoding"] == "identity")
    }

    @Test func anArchiveLabelledGzipKeepsItsBytes() async throws {
        // A valid gzip stream of one word.
        let hex = "1f8b08000000000002034bccc9c802008d76fbcb05000000"
        let archive = hex.pairs.compactMap { UInt8($0, radix: 16) }
        let fields: KeyValuePairs = ["Content-Type": "application/x-gzip", "Content-Encoding": "x-gzip"]
        let story = try FaultStory(of: TestFile(archive, etag: "\"v1\"", fields: fields)) { $1 }
        let remarks = try await story.publishes(archive, asking: [nil]).remarks
        #expect(remarks == [.contentEncoding("x-gzip")])
    }

    @Test(arguments: ["br", "gzip, br"])
    func anotherEncodingOfTheRestStartsOver(encoding: String) async throws {
        let story = try FaultStory.resumed(of: encoded("gzip")) { $1.replacingField("Content-Encoding", encoding) }
        #expect(try await story.publishes(asking: [nil, .rest, nil]).remarks == [.contentEncoding("gzip")])
    }

    @Test func underTheSameTagAMissingEncodingIsTheSameEncoding() async throws {
        let story = try FaultStory.resumed(of: encoded("gzip")) { $1.removingField("Content-Encoding") }
        #expect(try await story.publishes(asking: [nil, .rest]).remarks == [.contentEncoding("gzip")])
    }
}

extension String {
    /// Its characters in pairs.
    fileprivate var pairs: [Substring] {
        stride(from: 0, to: count, by: 2).map { dropFirst($0).prefix(2) }
    }
}
