import Foundation
import Spate
import TestSupport
import Testing

/// RESUMPTION.md, "Range and resume", 38 to 42 and 45 to 47: what may be joined, and what never.
@Suite struct ResumeProofTests {
    private let bytes = ResumeStory.bytes
    private let other = TestBytes.random(count: 300_000, seed: 2)
    private let overlapping = "bytes=\(ResumeStory.left - 65_536)-"

    @Test(arguments: [400, 403, 404, 410, 451]) func line38AnErrorPageIsNeverInTheFile(status: Int) async throws {
        let story = try ResumeStory { [other] _, _ in .status(status, fields: ["ETag": "\"v1\""], body: other) }
        try await story.fails(.httpStatus)
        #expect(story.ranges == [nil, "bytes=100000-"])
    }

    @Test(arguments: [404, 500]) func line38NorIsItTheFile(status: Int) async throws {
        let story = try ResumeStory(first: { _ in .status(status, body: "an error page") }) { _, _ in
            .status(status, body: "an error page")
        }
        try await story.fails(.httpStatus, keeping: 0)
    }

    @Test func line38NorWhereItClaimsTheRange() async throws {
        let story = try ResumeStory { _, reply in reply.replacingStatusLine("HTTP/1.1 404 Not Found") }
        try await story.fails(.httpStatus)
    }

    @Test func line39AWeakTagIsNeverSentAndTheOverlapCompared() async throws {
        let story = try ResumeStory(TestFile(bytes, etag: "W/\"v1\""))
        try await story.publishes()
        #expect(story.ranges == [nil, overlapping] && story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test func line39UnderAWeakTagAnotherFileStartsOver() async throws {
        let story = try ResumeStory(TestFile(bytes, etag: "W/\"v1\"")) { [other] request, _ in
            .file(other, etag: "W/\"v1\"", for: request)
        }
        try await story.publishes(other)
        #expect(story.ranges == [nil, overlapping, nil])
    }

    @Test func line39WhatIsLessThanAnOverlapStartsOver() async throws {
        let story = try ResumeStory(TestFile(bytes, etag: "W/\"v1\""), first: { $0.cut(after: 65_536) })
        try await story.publishes()
        #expect(story.ranges == [nil, nil])
    }

    @Test(arguments: ["Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 21:13:20 GMT", "nonsense"])
    func line40ADateThatMayHaveStoodStillIsNeverSent(said: String) async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try ResumeStory(
            TestFile(bytes, lastModified: date),
            first: { $0.replacingField("Date", said).cut(after: ResumeStory.left) }
        )
        try await story.publishes()
        #expect(story.ranges == [nil, overlapping] && story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test func line40ADateInAnAnswerWithoutAClockIsNeverSent() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try ResumeStory(
            TestFile(bytes, lastModified: date),
            first: { $0.removingField("Date").cut(after: ResumeStory.left) }
        )
        try await story.publishes()
        #expect(story.ranges == [nil, overlapping] && story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test func line41AStrongDateIsSentInIfRange() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let story = try ResumeStory(TestFile(bytes, lastModified: date))
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-"])
        #expect(story.server.requests.dropFirst().first?.ifRange == "Tue, 14 Nov 2023 22:13:20 GMT")
    }

    @Test func line41AFileOfAnotherDateIsFetchedAnew() async throws {
        let (date, later) = (Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_001))
        let story = try ResumeStory(TestFile(bytes, lastModified: date)) { [other] request, _ in
            .file(TestFile(other, lastModified: later), for: request)
        }
        try await story.publishes(other)
        #expect(story.ranges == [nil, "bytes=100000-"])
    }

    /// A million times the letter a, whose SHA-256 is in the standard's examples.
    private static let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    private static let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

    @Test func line42OtherBytesUnderTheSameTagAreCaughtByTheChecksum() async throws {
        let wrong = [UInt8](repeating: UInt8(ascii: "b"), count: 1_000_000)
        let story = try ResumeStory(TestFile(wrong, etag: "\"v1\"")) { request, _ in
            .file(Self.letters, etag: "\"v1\"", for: request)
        }
        try await story.publishes(Self.letters) { $0.sha256 = Self.digest }
        #expect(story.ranges == [nil, "bytes=100000-", nil])
    }

    @Test func line42WhatIsWrongInOnePieceTooIsDropped() async throws {
        let wrong = [UInt8](repeating: UInt8(ascii: "b"), count: 1_000_000)
        let story = try ResumeStory(TestFile(wrong, etag: "\"v1\""))
        try await story.fails(.checksumMismatch, keeping: 0) { $0.sha256 = Self.digest }
        #expect(story.ranges == [nil, "bytes=100000-", nil])
    }

    @Test func line45APreconditionThatFailedStartsOver() async throws {
        let story = try ResumeStory { [other] request, _ in
            request.range == nil ? .file(other, etag: "\"v2\"", for: request) : .status(412, body: "changed")
        }
        try await story.publishes(other)
        #expect(story.ranges == [nil, "bytes=100000-", nil])
    }

    @Test func line45AndNeverTwice() async throws {
        let story = try ResumeStory { request, reply in
            request.range == nil ? reply.cut(after: ResumeStory.left) : .status(412, body: "changed")
        }
        try await story.fails(.badResponse)
        #expect(story.ranges == [nil, "bytes=100000-", nil, "bytes=100000-"])
    }

    @Test func line46EachAnswerDecidesWhereRangesComeAndGo() async throws {
        let story = try ResumeStory { [bytes] request, reply in
            switch request.sequence {
            case 2: reply.cut(after: 50_000)
            case 3: .bytes(["HTTP/1.1 200 OK", "ETag: \"v1\"", "Content-Length: 300000"], bytes).cut(after: 200_000)
            default: reply
            }
        }
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-", "bytes=150000-", "bytes=200000-"])
    }

    @Test func line46TurnsThatLeadNowhereEnd() async throws {
        let story = try ResumeStory { [bytes] request, reply in
            request.sequence % 2 == 0
                ? reply.cut(after: 10_000)
                : .bytes(["HTTP/1.1 200 OK", "ETag: \"v1\"", "Content-Length: 300000"], bytes).cut(after: 100_000)
        }
        let error = try await story.end().error
        #expect(error?.code == .connectionFailed && error?.keptPartialFile == true && story.ranges.count <= 12)
        #expect(story.test.names == [ResumeStory.part])
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func line47AnErrorDuringARetryIsNeverAppended(status: Int) async throws {
        let story = try ResumeStory { [other] request, reply in
            request.sequence < 4 ? .status(status, fields: ["ETag": "\"v1\""], body: other) : reply
        }
        try await story.publishes()
        #expect(story.ranges == [nil, "bytes=100000-", "bytes=100000-", "bytes=100000-"])
    }

    @Test func line47AFileThatIsGoneDuringARetryLeavesThePartialAlone() async throws {
        let story = try ResumeStory { [other] request, reply in
            request.sequence == 2 ? .status(503, body: other) : .status(404, body: other)
        }
        try await story.fails(.httpStatus)
        #expect(story.ranges.count == 3)
    }
}
