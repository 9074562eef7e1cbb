import Foundation
import Spate
import TestSupport
import Testing

/// What may be joined, and what never (ResumptionRules.md 38 to 42 and 45 to 47).
@Suite(.takesTurns) struct ResumeProofTests {
    private let bytes = FaultStory.bytes
    private let other = TestBytes.random(count: 300_000, seed: 2)

    @Test(arguments: [403, 404, 410]) func anErrorPageIsNeverInTheFile(status: Int) async throws {
        let story = try FaultStory.interrupted { [other] _, _ in
            .status(status, fields: ["ETag": "\"v1\""], body: other)
        }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest])
    }

    @Test(arguments: [400, 451]) func anErrorThatMayBeAboutTheRangeIsAskedOnceWithoutIt(status: Int) async throws {
        let story = try FaultStory.interrupted { [other] _, _ in
            .status(status, fields: ["ETag": "\"v1\""], body: other)
        }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest, nil])
        let ranges = try FaultStory.interrupted { request, reply in
            request.range == nil ? reply : .status(status, body: "no ranges here")
        }
        try await ranges.publishes(FaultStory.bytes, asking: [nil, .rest, nil])
    }

    @Test(arguments: [404, 410]) func anErrorPageIsNotTheFile(status: Int) async throws {
        let story = try FaultStory { _, _ in .status(status, body: "an error page") }
        try await story.fails(.httpStatus, keeping: 0, asking: [nil])
    }

    @Test func anErrorPageThatClaimsTheRangeIsNotJoined() async throws {
        let story = try FaultStory.interrupted { _, reply in reply.replacingStatusLine("HTTP/1.1 404 Not Found") }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest])
    }

    @Test func aWeakTagIsNeverSentAndTheOverlapCompared() async throws {
        let story = try FaultStory.interrupted(of: TestFile(bytes, etag: "W/\"v1\""))
        try await story.publishes(asking: [nil, .overlap])
        #expect(story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test func underAWeakTagAnotherFileStartsOver() async throws {
        let story = try FaultStory.interrupted(of: TestFile(bytes, etag: "W/\"v1\"")) { [other] request, _ in
            .file(other, etag: "W/\"v1\"", for: request)
        }
        try await story.publishes(other, asking: [nil, .overlap, nil])
    }

    @Test(arguments: ["Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 21:13:20 GMT", "nonsense"])
    func aDateThatIsNoStrongValidatorIsNeverSent(said: String) async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try FaultStory.interrupted(
            of: TestFile(bytes, lastModified: date),
            by: { $0.replacingField("Date", said).cut(after: FaultStory.held) }
        )
        try await story.publishes(asking: [nil, .overlap])
        #expect(story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test func aStrongDateIsSentInIfRange() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try FaultStory.interrupted(of: TestFile(bytes, lastModified: date))
        try await story.publishes(asking: [nil, .rest])
        #expect(story.server.requests.dropFirst().first?.ifRange == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test func aFileOfAnotherDateIsFetchedAnew() async throws {
        let (date, later) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_001))
        let story = try FaultStory.interrupted(of: TestFile(bytes, lastModified: date)) { [other] request, _ in
            .file(TestFile(other, lastModified: later), for: request)
        }
        try await story.publishes(other, asking: [nil, .rest])
    }

    /// A million times the letter a, whose SHA-256 is in the standard's examples.
    private static let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    private static let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

    @Test func otherBytesUnderTheSameTagAreCaughtByTheChecksum() async throws {
        let wrong = [UInt8](repeating: UInt8(ascii: "b"), count: 1_000_000)
        let story = try FaultStory.interrupted(of: TestFile(wrong, etag: "\"v1\"")) { request, _ in
            .file(Self.letters, etag: "\"v1\"", for: request)
        }
        try await story.publishes(Self.letters, asking: [nil, .rest, nil]) { $0.sha256 = Self.digest }
    }

    @Test func aWrongChecksumInOnePieceFails() async throws {
        let wrong = [UInt8](repeating: UInt8(ascii: "b"), count: 1_000_000)
        let story = try FaultStory.interrupted(of: TestFile(wrong, etag: "\"v1\""))
        try await story.fails(.checksumMismatch, keeping: 0, asking: [nil, .rest, nil]) { $0.sha256 = Self.digest }
    }

    @Test func aPreconditionThatFailedStartsOver() async throws {
        let story = try FaultStory.interrupted { [other] request, _ in
            request.range == nil ? .file(other, etag: "\"v2\"", for: request) : .status(412, body: "changed")
        }
        try await story.publishes(other, asking: [nil, .rest, nil])
    }

    @Test func aPreconditionThatAlwaysFailsIsGivenUp() async throws {
        let story = try FaultStory.interrupted { request, reply in
            request.range == nil ? reply.cut(after: FaultStory.held) : .status(412, body: "changed")
        }
        try await story.fails(.badResponse, keeping: FaultStory.held, asking: [nil, .rest, nil, .rest])
    }

    @Test func eachAnswerDecidesWhereRangesComeAndGo() async throws {
        let story = try FaultStory.interrupted { [bytes] request, reply in
            switch request.sequence {
            case 2: reply.cut(after: 50_000)
            case 3: .bytes(["HTTP/1.1 200 OK", "ETag: \"v1\"", "Content-Length: 300000"], bytes).cut(after: 200_000)
            default: reply
            }
        }
        try await story.publishes(asking: [nil, .rest, .rest(from: 145_904), .rest(from: 200_000)])
    }

    @Test func turnsWithoutProgressEnd() async throws {
        let story = try FaultStory.interrupted { [bytes] request, reply in
            request.sequence % 2 == 0
                ? reply.cut(after: 10_000)
                : .bytes(["HTTP/1.1 200 OK", "ETag: \"v1\"", "Content-Length: 300000"], bytes).cut(after: 100_000)
        }
        let error = try await story.run().result.error
        #expect(error?.code == .connectionFailed && error?.keptPartialFile == true && story.server.requests.count <= 12)
        #expect(story.test.names == ["f.part"])
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func anErrorDuringARetryIsNeverAppended(status: Int) async throws {
        let story = try FaultStory.interrupted { [other] request, reply in
            request.sequence < 4 ? .status(status, fields: ["ETag": "\"v1\""], body: other) : reply
        }
        try await story.publishes(asking: [nil, .rest, .rest, .rest])
    }
}
