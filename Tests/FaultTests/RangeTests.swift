import Foundation
import Spate
import TestSupport
import Testing

/// Parts that continue the file, and parts of something else (ResumptionRules.md 20 to 27).
@Suite(.takesTurns) struct RangeTests {
    private let bytes = FaultStory.bytes
    private let other = TestBytes.random(count: 300_000, seed: 2)

    /// A part of the file from one place to another, said to be just that.
    private static func part(
        _ range: Range<Int>,
        of bytes: [UInt8] = FaultStory.bytes,
        etag: String = "\"v1\""
    ) -> Reply {
        let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        let fields = ["ETag: \(etag)", "Content-Range: \(place)", "Content-Length: \(range.count)"]
        return .bytes(["HTTP/1.1 206 Partial Content"] + fields, Array(bytes[range]))
    }

    @Test func aRightPartIsJoined() async throws {
        let story = try FaultStory.resumed { $1 }
        try await story.publishes(asking: [nil, .rest])
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\""])
        #expect(story.server.requests.map(\.visit) == [1, 2])
    }

    @Test(arguments: [0, 1, 99_999, 100_001, 250_000, 299_999])
    func a206ThatStartsElsewhereIsNeverJoined(start: Int) async throws {
        let story = try FaultStory.resumed { _, _ in Self.part(start..<300_000) }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test(arguments: [0, 99_999, 100_001]) func noByteOfA206ThatStartsElsewhereIsWritten(start: Int) async throws {
        let story = try FaultStory { request, right in
            switch request.sequence {
            case 1: right.cut(after: FaultStory.held)
            case 2: Self.part(start..<300_000)
            default: .status(404)
            }
        }
        try await story.fails(.httpStatus, keeping: 0, asking: [nil, .rest, nil])
    }

    @Test(arguments: [299_999, 300_001, 200_000])
    func aPartOfAnotherTotalStartsOver(total: Int) async throws {
        let last = min(total, 300_000) - 1
        let story = try FaultStory.resumed { _, _ in
            Self.part(FaultStory.asked..<(last + 1)).replacingField("Content-Range", "bytes 95904-\(last)/\(total)")
        }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test func aPartUnderAnotherTagStartsOver() async throws {
        let story = try FaultStory { [other] request, right in
            switch request.sequence {
            case 1: right.cut(after: FaultStory.held)
            case 2: Self.part(FaultStory.asked..<300_000, of: other, etag: "\"v2\"")
            default: .file(other, etag: "\"v2\"", for: request)
            }
        }
        try await story.publishes(other, asking: [nil, .rest, nil])
    }

    @Test func withoutATagAnOverlapThatAgreesIsJoined() async throws {
        let story = try FaultStory { $0.sequence == 1 ? $1.cut(after: FaultStory.held) : $1.removingField("ETag") }
        try await story.publishes(asking: [nil, .rest, .overlap])
        #expect(story.server.requests.map(\.ifRange) == [nil, "\"v1\"", "\"v1\""])
    }

    @Test func withoutATagAnOverlapThatDiffersStartsOver() async throws {
        let story = try FaultStory { [other] request, right in
            guard request.sequence > 1 else { return right.cut(after: FaultStory.held) }
            let start = request.range.flatMap { Int($0.dropFirst(6).dropLast()) }
            return start.map { Self.part($0..<300_000, of: other).removingField("ETag") } ?? .file(other, for: request)
        }
        try await story.publishes(other, asking: [nil, .rest, .overlap, nil])
    }

    @Test func anUnknownTotalIsJoinedUnderTheSameTag() async throws {
        let story = try FaultStory.resumed { $1.replacingField("Content-Range", "bytes 95904-299999/*") }
        try await story.publishes(asking: [nil, .rest])
    }

    @Test func anUnknownTotalWithoutATagStartsOver() async throws {
        let story = try FaultStory.resumed {
            $1.replacingField("Content-Range", "bytes 95904-299999/*").removingField("ETag")
        }
        try await story.publishes(asking: [nil, .rest, nil])
    }

    @Test func withoutAnyTotalTheEndIsProvenByAsking() async throws {
        let story = try FaultStory { request, right in
            let end = min(request.sequence * FaultStory.held, 300_000)
            if request.sequence == 1 { return right.chunked().cut(after: end) }
            guard request.sequence < 4 else { return right }
            let start = end - FaultStory.held - 4_096
            return Self.part(start..<end).replacingField("Content-Range", "bytes \(start)-\(end - 1)/*")
        }
        try await story.publishes(asking: [nil, .rest, .rest(from: 200_000), .rest(from: 300_000)])
    }

    @Test func aPartThatEndsEarlyIsAppendedAndTheRestAskedFor() async throws {
        let story = try FaultStory { request, right in
            switch request.sequence {
            case 1: right.cut(after: FaultStory.held)
            case 2: Self.part(FaultStory.asked..<150_000)
            case 3: Self.part(145_904..<150_001)
            default: right
            }
        }
        try await story.publishes(asking: [nil, .rest, .rest(from: 150_000), .rest(from: 150_001)])
    }

    @Test(arguments: ["199999", "200001", "300000", "0"])
    func aLengthThatIsNotTheRangesIsTriedAgain(length: String) async throws {
        let story = try FaultStory.resumed { $1.replacingField("Content-Length", length) }
        try await story.publishes(asking: [nil, .rest, .rest])
    }

    @Test func chunksThatBringLessThanTheRangeAreContinued() async throws {
        let story = try FaultStory.resumed { _, _ in
            let part = Self.part(FaultStory.asked..<150_000).chunked()
            return part.replacingField("Content-Range", "bytes 95904-299999/300000")
        }
        try await story.publishes(asking: [nil, .rest, .rest(from: 150_000)])
    }

    @Test func chunksThatBringMoreThanTheRangeAreTakenForTheRangeAlone() async throws {
        let story = try FaultStory.resumed { [other] _, _ in
            .bytes(
                ["HTTP/1.1 206 Partial Content", "ETag: \"v1\"", "Content-Range: bytes 95904-299999/300000"],
                FaultStory.bytes[FaultStory.asked...] + other
            ).chunked()
        }
        try await story.publishes(asking: [nil, .rest])
    }
}
