import Foundation
import Spate
import SpateTestSupport
import Testing

/// What follows from the answer to a request for the rest (ResumptionRules.md 20 to 50, 95, 96, 105 and 106). All that it may
/// say is in the tables of HTTPResumptionTests: here is one of each kind of step.
@Suite(.takesTurns) struct ResumeTests {
    private static let bytes = FaultStory.bytes
    private static let other = TestBytes.random(count: 300_000, seed: 2)

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is asked for when the first answer has been cut.
        let ranges: [String?]
        /// The answer to a request for a range.
        let bend: @Sendable (ReceivedRequest, Reply) -> Reply

        init(
            _ claim: String,
            asks ranges: String?...,
            bend: @escaping @Sendable (ReceivedRequest, Reply) -> Reply
        ) {
            (testDescription, self.ranges, self.bend) = (claim, ranges, bend)
        }
    }

    static let rows = [
        Row("21: starts elsewhere", asks: .rest, nil) { $1.replacingField("Content-Range", "bytes 0-204095/300000") },
        Row("24: no tag, so it is compared", asks: .rest, .overlap) { $1.removingField("ETag") },
        Row("26: ends early", asks: .rest, .rest(from: 150_000)) { request, right in
            if request.sequence > 2 { return right }
            let fields = ["ETag: \"v1\"", "Content-Range: bytes 95904-149999/300000", "Content-Length: 54096"]
            return .bytes(["HTTP/1.1 206 Partial Content"] + fields, Array(bytes[95_904..<150_000]))
        },
        Row("27: another length than its range's", asks: .rest, .rest) {
            $0.sequence == 2 ? $1.replacingField("Content-Length", "199999") : $1
        },
        Row("28: no Content-Range", asks: .rest, nil) { $1.removingField("Content-Range") },
        Row("36: a 416 with another total", asks: .rest, nil) { _, _ in
            .status(416, fields: ["Content-Range": "bytes */300000"])
        },
        Row("45: a 412", asks: .rest, nil) { _, _ in .status(412, body: "changed") },
        Row("47: an error that may pass", asks: .rest, .rest, .rest) {
            $0.sequence < 4 ? .status(503, fields: ["ETag": "\"v1\""], body: other) : $1
        },
        Row("50: another encoding", asks: .rest, nil) { $1.addingField("Content-Encoding", "br") },
        Row("95: a 304", asks: .rest, nil) { _, _ in .bytes(["HTTP/1.1 304 Not Modified", "ETag: \"v1\""]) },
        Row("96: a 400", asks: .rest, nil) { _, _ in .status(400, body: "no ranges here") },
    ]

    @Test(arguments: rows) func whateverTheAnswerForTheRestSaysTheFileIsRight(row: Row) async throws {
        let story = try FaultStory.interrupted { $0.range == nil ? $1 : row.bend($0, $1) }
        try await story.publishes(asking: [nil] + row.ranges)
    }

    @Test func aChangedFileIsTakenFromThisVeryBodyAndItsTagCountsFromThenOn() async throws {
        let story = try FaultStory.interrupted { request, _ in
            let new = Reply.file(Array(Self.other[..<250_000]), etag: "\"v2\"", for: request)
            return request.sequence == 2 ? new.cut(after: 40_000) : new
        }
        let download = try await story.publishes(
            Array(Self.other[..<250_000]),
            asking: [nil, .rest, .rest(from: 40_000)]
        )
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\"", "\"v2\""])
        #expect(download.remarks.isEmpty && download.progress.totalBytes == 250_000)
    }

    @Test func aServerWithoutRangesIsTakenFromZeroAndRemarked() async throws {
        let story = try FaultStory.interrupted { _, _ in .status(200, fields: ["ETag": "\"v1\""], body: Self.bytes) }
        #expect(try await story.publishes(asking: [nil, .rest]).remarks == [.notResumable])
    }

    @Test func aServerWithoutRangesThatAlwaysBreaksOffMakesNoLoop() async throws {
        let story = try FaultStory { _, _ in
            .status(200, fields: ["ETag": "\"v1\""], body: Self.bytes).cut(after: FaultStory.held)
        }
        let asked: [String?] = [nil, .rest, .rest, .rest]
        try await story.fails(.connectionFailed, keeping: FaultStory.held, asking: asked, isRetryable: true)
    }

    @Test func a200UnderTheSameTagIsFollowedByOneRequestWithoutIfRange() async throws {
        let much = TestBytes.random(count: 2_000_000)
        let story = try FaultStory(of: TestFile(much, etag: "\"v1\"")) { request, right in
            if request.sequence == 1 { return right.cut(after: 1_500_000) }
            return request.ifRange == nil ? right : .status(200, fields: ["ETag": "\"v1\""], body: much)
        }
        try await story.publishes(much, asking: [nil, .rest(from: 1_500_000), .rest(from: 1_500_000)])
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\"", nil])
    }

    @Test func anErrorPageIsNeverInTheFile() async throws {
        let story = try FaultStory.interrupted { $1.replacingStatusLine("HTTP/1.1 404 Not Found") }
        try await story.fails(.httpStatus, keeping: FaultStory.held, asking: [nil, .rest])
    }

    @Test func aWeakTagIsNeverSentAndAnOverlapThatDiffersStartsOver() async throws {
        let story = try FaultStory.interrupted(of: TestFile(Self.bytes, etag: "W/\"v1\"")) { request, _ in
            .file(Self.other, etag: "W/\"v1\"", for: request)
        }
        try await story.publishes(Self.other, asking: [nil, .overlap, nil])
        #expect(story.server.requests.allSatisfy { $0.ifRange == nil })
    }

    @Test(arguments: ["gzip", "x-gzip"])
    func anUnrequestedEncodingIsStoredAsItCameAndReported(encoding: String) async throws {
        let file = TestFile(Self.bytes, etag: "\"v1\"", fields: ["Content-Encoding": encoding])
        let story = try FaultStory.interrupted(of: file) { $1.removingField("Content-Encoding") }
        #expect(try await story.publishes(asking: [nil, .rest]).remarks == [.contentEncoding(encoding)])
        #expect(story.server.requests[0].fields["Accept-Encoding"] == "identity")
    }

    // MARK: All bytes are here already

    /// A 416 without a total proves nothing.
    @Test(arguments: [true, false]) func aPartialFileThatIsWholeIsProvenByA416OrByItsEnd(namesTotal: Bool) async throws
    {
        let story = try await FaultStory.leftBehind { request, reply in
            guard request.range == "bytes=300000-" else { return reply }
            return namesTotal ? reply.removingField("ETag") : .status(416)
        }
        try story.test.write(Self.bytes[FaultStory.held...], to: "f.part")
        try await story.publishes(asking: [nil, "bytes=300000-"] + (namesTotal ? [] : [.rest(from: 300_000)]))
        #expect(story.server.requests[1].ifRange == "\"v1\"")
    }

    @Test func aChecksumIsVerifiedThoughNoBodyCame() async throws {
        let story = try await FaultStory.leftBehind()
        try story.test.write(Self.bytes[FaultStory.held...].reversed(), to: "f.part")
        let error = try await story.run { $0.sha256 = String(repeating: "0", count: 64) }.result.error
        #expect(error?.code == .checksumMismatch && story.test.names.isEmpty)
    }

    // MARK: What the server says of its bytes

    /// A million times the letter a, whose SHA-256 is in the standard's examples.
    @Test func otherBytesUnderTheSameTagAreCaughtByTheChecksum() async throws {
        let right = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let wrong = [UInt8](repeating: UInt8(ascii: "b"), count: 1_000_000)
        let story = try FaultStory.interrupted(of: TestFile(wrong, etag: "\"v1\"")) { request, _ in
            .file(right, etag: "\"v1\"", for: request)
        }
        try await story.publishes(right, asking: [nil, .rest, nil]) {
            $0.sha256 = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        }
    }

    /// The part does not repeat what the first response stated.
    @Test(arguments: [("Repr-Digest", false), ("Digest", true)])
    func aStatedDigestIsCheckedAfterResuming(field: String, inLaterProcess: Bool) async throws {
        let digest = "AAAAQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let stated = field == "Digest" ? "SHA-256=\(digest)" : "sha-256=:\(digest):"
        let file = TestFile(Self.bytes, etag: "\"v1\"", fields: [field: stated])
        let bare = { @Sendable (request: ReceivedRequest, reply: Reply) in
            request.range == nil ? reply : reply.removingField(field)
        }
        let story =
            inLaterProcess
            ? try await FaultStory.leftBehind(file, then: bare) : try FaultStory.interrupted(of: file, then: bare)
        let error = try #require(try await story.run().result.error)
        #expect(error.code == .checksumMismatch && error.message.contains(field) && story.test.names.isEmpty)
    }

    private static let page = "<html>Please sign in.</html>        "

    @Test func aPageInPlaceOfTheRestIsRetriedAndThePartStays() async throws {
        let story = try FaultStory.interrupted { _, _ in
            .status(200, fields: ["Content-Type": "text/html; charset=utf-8"], body: Self.page)
        }
        let asked: [String?] = [nil, .rest, .rest, .rest]
        try await story.fails(.badResponse, keeping: FaultStory.held, asking: asked, isRetryable: true)
        // Who replaces files may want it.
        let page = try await story.publishes(Array(Self.page.utf8), asking: asked + [.rest]) {
            $0.replacesExistingFile = true
        }
        #expect(page.remarks.contains(.webPage))
    }

    @Test(arguments: [("/f.html", false), ("/f.zip", true), ("/", false)])
    func aPageUnderAnotherNameIsRemarked(target: String, isRemarked: Bool) async throws {
        let server = try TestServer { _ in .status(200, fields: ["Content-Type": "text/html"], body: Self.page) }
        let test = try TestManager()
        let download = test.manager.download(server.url(target))
        _ = try await download.ended().get()
        #expect(download.remarks.contains(.webPage) == isRemarked)
    }
}
