import Foundation
import Spate
import TestSupport
import Testing

/// Parts that prove nothing, and the whole in place of a part (ResumptionRules.md 28 to 34).
@Suite(.takesTurns) struct RangeAnswerTests {
    private let bytes = FaultStory.bytes
    private let other = TestBytes.random(count: 250_000, seed: 2)

    @Test func a206WithoutContentRangeStartsOver() async throws {
        let story = try FaultStory.resumed { $1.removingField("Content-Range") }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    static let badRanges = [
        "bytes 9-5/10", "bytes 0-10/10", "items 100000-299999/300000", "bytes 95904-299999/99999999999999999999",
        "bytes 95904-9223372036854775807/9223372036854775807", "bytes 95904-99999999999999999999/300000",
        "bytes 95904-299999/299999", "bytes 299999-100000/300000", "bytes -100000-299999/300000",
        "bytes +100000-299999/300000", "bytes=100000-299999/300000", "bytes 95904-299999", "bytes */300000",
        "bytes 95904-/300000", "bytes 95904-299999/300000 or so", "100000-299999/300000", "bytes", "",
    ]

    @Test(arguments: badRanges) func anInvalidContentRangeStartsOver(range: String) async throws {
        let story = try FaultStory.resumed { $1.replacingField("Content-Range", range) }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test(arguments: ["multipart/byteranges; boundary=x", "Multipart/ByteRanges;boundary=\"x\""])
    func severalPartsInOneStartOverWithoutARange(type: String) async throws {
        let part =
            "--x\r\nContent-Type: text/plain\r\nContent-Range: bytes 100000-100004/300000\r\n\r\nhello\r\n--x--\r\n"
        let story = try FaultStory.resumed { _, _ in
            .status(206, fields: ["ETag": "\"v1\"", "Content-Type": type], body: part)
        }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test(arguments: ["bytes 0-299999/300000", "bytes 0-99999/300000", "bytes 95904-299999/300000"])
    func anUnrequestedPartIsAFailure(range: String) async throws {
        let story = try FaultStory { _, right in
            right.replacingStatusLine("HTTP/1.1 206 Partial Content").addingField("Content-Range", range)
        }
        let error = try await story.fails(.badResponse, keeping: 0, asking: [nil])
        #expect(error.statusCode == 206)
    }

    @Test func theWholeOfAChangedFileIsTakenFromThisVeryBody() async throws {
        let story = try FaultStory { [other] request, right in
            request.sequence == 1 ? right.cut(after: FaultStory.held) : .file(other, etag: "\"v2\"", for: request)
        }
        let download = try await story.publishes(other, asking: [nil, .rest])
        #expect(download.remarks.isEmpty && download.progress.totalBytes == 250_000)
    }

    @Test func afterTheChangeTheNewTagCounts() async throws {
        let story = try FaultStory { [other] request, right in
            if request.sequence == 1 { return right.cut(after: FaultStory.held) }
            let new = Reply.file(other, etag: "\"v2\"", for: request)
            return request.sequence == 2 ? new.cut(after: 40_000) : new
        }
        try await story.publishes(other, asking: [nil, .rest, .rest(from: 40_000)])
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\"", "\"v2\""])
    }

    /// Much is here, and a server that answers 200 to If-Range, with the same tag.
    private func contentNetwork(
        _ file: TestFile,
        plain: @escaping @Sendable (Reply) -> Reply = { $0 }
    ) throws -> FaultStory {
        try FaultStory(of: file) { request, right in
            if request.sequence == 1 { return right.cut(after: 1_500_000) }
            guard request.ifRange != nil else { return plain(right) }
            return .status(200, fields: ["ETag": file.etag ?? ""], body: file.bytes)
        }
    }

    @Test func a200UnderTheSameTagIsFollowedByOneRequestWithoutIfRange() async throws {
        let much = TestBytes.random(count: 2_000_000)
        let story = try contentNetwork(TestFile(much, etag: "\"v1\""))
        try await story.publishes(much, asking: [nil, .rest(from: 1_500_000), .rest(from: 1_500_000)])
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\"", nil])
    }

    @Test func aServerWithoutRangesIsTakenFromZeroAndRemarked() async throws {
        let story = try FaultStory.resumed { [bytes] _, _ in
            .status(200, fields: ["ETag": "\"v1\"", "Accept-Ranges": "none"], body: bytes)
        }
        #expect(try await story.publishes(asking: [nil, .rest]).remarks == [.notResumable])
    }

    @Test func aServerWithoutRangesThatAlwaysBreaksOffMakesNoLoop() async throws {
        let story = try FaultStory { [bytes] _, _ in
            .status(200, fields: ["ETag": "\"v1\""], body: bytes).cut(after: FaultStory.held)
        }
        try await story.fails(
            .connectionFailed,
            keeping: FaultStory.held,
            asking: [nil, .rest, .rest, .rest],
            isRetryable: true
        )
    }

    @Test(arguments: ["bytes 95904-299999/300000", "bytes 0-4/5", "bytes */300000", "nonsense"])
    func aContentRangeOn200MeansNothing(range: String) async throws {
        let story = try FaultStory.resumed { [bytes] _, _ in
            .status(200, fields: ["ETag": "\"v1\"", "Content-Range": range], body: bytes)
        }
        #expect(try await story.publishes(asking: [nil, .rest]).remarks == [.notResumable])
        let first = try FaultStory { $1.addingField("Content-Range", range) }
        try await first.publishes(asking: [nil])
    }
}
